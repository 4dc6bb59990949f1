"""Records to measure with: Adult with a drawn basket each, and a grocer's households with what they bought."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import covey
from covey.synth.journey import complete_journey, data_folder

#: Columns of Adult that somebody outside might know; the first two are numbers.
ADULT = ("age", "education-num", "marital-status", "race", "sex")


def adult_with_groceries(
    folder: Path, *, columns: tuple[str, ...] = ADULT, sensitive: tuple[str, ...] = ()
) -> tuple[covey.Records, covey.Taxonomy]:
    """Adult's 30,162 persons, each with a basket of Groceries drawn at random, and the taxonomy of its items."""
    trees = {name: folder / "adult" / "hierarchies-arx" / f"adult_hierarchy_{name}.csv" for name in columns[2:]}
    people = covey.read_table(
        folder / "adult" / "adult-30162.csv.gz",
        quasi=columns,
        sensitive=sensitive,
        hierarchies=trees,
        row_is_person=True,
    )
    baskets = covey.read(folder / "groceries.dat.gz", row_is_person=True)
    drawn = np.random.default_rng(14).integers(0, baskets.n, people.n)
    return covey.Records(people, baskets.take(drawn)), covey.read_taxonomy(folder / "groceries.taxonomy.csv")


def journey_households() -> covey.Records:
    """The 801 households whose demographics the grocer knows, with all product types that they bought in a year."""
    people, baskets, of = _journey()
    return covey.Records(people, _plain(baskets.by_person().take(of)))


def journey_baskets() -> covey.Records:
    """The same households, each with one of their baskets, drawn at random."""
    people, baskets, of = _journey()
    rng = np.random.default_rng(14)
    drawn = [rng.choice(np.flatnonzero(baskets.person == household)) for household in of]
    return covey.Records(people, _plain(baskets.take(np.array(drawn))))


def _journey() -> tuple[covey.Table, covey.Baskets, Any]:
    """The demographics, all baskets, and which person of the baskets each household is."""
    import pyarrow.parquet as pq

    sales = pq.read_table(data_folder() / "transactions.parquet", columns=["household_id"])
    known = pq.read_table(data_folder() / "demographics.parquet").to_pydict()
    numbers = np.array(known.pop("household_id"))
    of = np.searchsorted(np.unique(sales["household_id"].to_numpy()), numbers)
    return covey.Table.of(known), complete_journey(households=True).with_sensitive([]), of


def _plain(baskets: covey.Baskets) -> covey.Baskets:
    """One basket per person, as records have it, of the items that occur."""
    bare = covey.Baskets(
        indptr=baskets.indptr, indices=baskets.indices, items=baskets.items, sensitive=baskets.sensitive
    )
    return bare.only(bare.supports() > 0)
