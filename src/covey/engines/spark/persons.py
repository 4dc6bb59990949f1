"""Persons on Spark: every transaction has one, and a person has one set with the items of all their transactions.

A person is a 64-bit hash of the name, which is left at the door. Two names with the same hash would be one person, so
the names and their hashes are counted.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from covey.engines.spark.sets import Sets
from covey.errors import InputError, NamelessRows
from covey.io.persons import WhoIsWho

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def with_whole_persons(frame: DataFrame, said: WhoIsWho, file: str | None) -> DataFrame:
    """Transactions with ``labels`` and ``person: long``, from those with the first and last name in their lines.

    Raises
    ------
    InputError
        A transaction has two persons, persons are missing and are not to be left out, or all are one and the same.
    """
    from pyspark.sql import functions as sf

    missing, torn = sf.col("one") == "", sf.col("one") != sf.col("other")
    found = frame.agg(
        sf.count("*"),
        sf.count_if(missing & ~torn),
        sf.count_if(torn),
        sf.count_distinct(sf.when(~missing, sf.col("one"))),
        sf.count_distinct(sf.when(~missing, sf.xxhash64("one"))),
    ).first()
    assert found is not None
    rows, unnamed, shared, names, hashes = (int(figure) for figure in found)
    problem, remedy = "", ""
    if shared:
        problem = f"{shared:,} of {rows:,} transactions name two persons, or one and none"
        remedy = "All lines of a transaction must name the same person; split the transactions, or correct the lines."
    elif unnamed and said.missing_person == "error":
        problem = f"{unnamed:,} of {rows:,} transactions name no person"
        remedy = f"Leave {'it' if unnamed == 1 else 'them'} out with --missing-person drop."
    elif names < 2 <= rows:
        problem = "no row names a person" if not names else f"all {rows:,} transactions belong to the same person"
        remedy = "Name the column that identifies persons."
    elif names != hashes:
        problem, remedy = "two persons have the same hash", "Use --engine local."
    if problem:
        raise InputError(problem, file=file, column=said.person, remedy=remedy)
    if unnamed:
        warnings.warn(NamelessRows(str(said.person), rows, rows - unnamed), stacklevel=2)
    return frame.where(~missing).select("labels", sf.xxhash64("one").alias("person"))


def people_of(owned: DataFrame, items: tuple[str, ...]) -> Sets:
    """The sets of persons, from transactions with ``items`` and ``person``; one job counts persons and holders."""
    from pyspark.sql import functions as sf

    union = sf.sort_array(sf.array_distinct(sf.flatten(sf.collect_list("items")))).alias("items")
    people = owned.groupBy("person").agg(union)
    # A person counts with the first of their items, or without an item if they have none.
    exploded = people.select(sf.posexplode_outer("items").alias("at", "item"))
    counted = (
        exploded.groupBy("item")
        .agg(
            sf.count("at").alias("held"),
            sf.count_if(sf.col("at") == 0).alias("begun"),
            sf.count_if(sf.col("at").isNull()).alias("bare"),
        )
        .toArrow()
        .to_pylist()
    )
    supports = np.zeros(len(items), np.int64)
    for line in counted:
        if line["item"] is not None:
            supports[line["item"]] = line["held"]
    empty = sum(line["bare"] for line in counted)
    return Sets(
        frame=people.groupBy("items").agg(sf.count("*").alias("weight")),
        items=items,
        supports=supports,
        sensitive=np.zeros(len(items), np.bool_),
        n=empty + sum(line["begun"] for line in counted),
        empty=empty,
        owned=people.select("items", "person"),
    )
