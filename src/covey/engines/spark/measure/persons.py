"""A grouped release as it looks to someone who knows which transactions are one person's: on Spark.

As `covey.metrics.person_view`: each person's items taken together, in the group that their transactions are in.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from pyspark.sql import functions as sf

from covey.engines.spark.measure.published import Pair
from covey.errors import ParameterError, other_original
from covey.release.persons import counts_persons, require_same_unit


def by_person(pair: Pair) -> tuple[Pair, int]:
    """Release and original with one set per person, and how many of these could be in several groups.

    As they are where the release counts transactions. A person is in the group in which a basket is published that no
    other group has; one all of whose baskets have twins in other groups may be in any of these, and one is taken. The
    local engine tells more: it looks at all baskets of all persons together (`covey.verify.placing`).

    Raises
    ------
    ParameterError
        The release counts persons, and nobody has said who they are in the original; or it counts transactions, and
        persons have several.
    InputError
        A person's baskets are not in the release.
    """
    original = pair.original
    require_same_unit(pair.manifest.facts, original)
    if not counts_persons(pair.manifest.facts):
        return replace(pair, original=replace(original, owned=None, people=None)), 0
    if original.people is None or original.owned is None:
        raise ParameterError(
            "This release counts persons. Say which column of the original names them: --person COLUMN (person=)."
        )
    people = original.people
    assert people.owned is not None
    where = pair.transactions.groupBy("items").agg(sf.min("group").alias("group"), sf.max("group").alias("last"))
    only = sf.when(sf.col("group") == sf.col("last"), sf.col("group"))
    homes = (
        original.owned.select("person", original.public().alias("items"))
        .join(where, "items")
        .groupBy("person")
        .agg(sf.coalesce(sf.min(only), sf.min("group")).alias("group"), sf.min(only).isNull().alias("unsure"))
    )
    rows = people.owned.join(homes, "person").persist()
    found = rows.agg(sf.count("*").alias("n"), sf.count_if("unsure").alias("unsure")).first()
    if found is None or found["n"] != people.n:
        raise other_original("the release lacks all baskets of a person of the original")
    marked = sf.array(*(sf.lit(int(i)) for i in np.flatnonzero(people.sensitive))).cast("array<int>")
    held = rows.select("group", sf.explode(people.secret()).alias("item")).groupBy("group", "item")
    seen = replace(
        pair,
        original=people,
        transactions=rows.select("group", people.public().alias("items")),
        counts=held.agg(sf.count("*").alias("count")).select(
            "group", (sf.array_position(marked, sf.col("item")) - 1).cast("int").alias("code"), "count"
        ),
    )
    return seen, int(found["unsure"])
