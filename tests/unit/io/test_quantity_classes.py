"""Items told apart by how many of them there were; sensitive ones stay one item."""

from collections import Counter

import pandas as pd
import pytest

import covey
from covey.data.amounts import classes
from covey.errors import IgnoredQuantities, InputError, ParameterError, ReturnedItems
from covey.measure.profile import items_held
from readers import saved

SALES = pd.DataFrame(
    {
        "order": [1, 1, 1, 2, 2, 3, 3, 4],
        "item": ["beer", "tea", "beer", "beer", "test", "test", "tea", "tea"],
        "Quantity": [1, 1, 4, 1, 1, 3, 12, -1],
        "who": ["ann", "ann", "ann", "bob", "bob", "cai", "cai", "ann"],
    }
)


@pytest.mark.parametrize("how", ["csv", "parquet", "pandas"])
def test_quantities_are_added_up_and_put_into_classes(how, tmp_path):
    with pytest.warns(ReturnedItems) as told:
        data = covey.read(saved(SALES, tmp_path, how), quantity="quantity", person="who")
    assert [data.basket(row) for row in range(4)] == [
        ["beer×2-5", "tea×1"],
        ["beer×1", "test×1"],
        ["tea×6+", "test×2-5"],
        [],
    ]
    assert (told[0].message.entries, told[0].message.emptied) == (1, 1)
    assert data.person.tolist() == [0, 1, 2, 0]
    assert classes(data.items)["test"] == ["test×1", "test×2-5"]
    labels, held = items_held(data)
    assert dict(zip(labels, held.tolist(), strict=True)) == {"beer": 2, "tea": 2, "test": 2}


def test_classes_are_where_somebody_says(tmp_path):
    data = covey.read(SALES[SALES.Quantity > 0], quantity="Quantity", quantity_classes="1,4,12", row_is_person=True)
    assert data.items == ("beer×1-3", "beer×4-11", "tea×1-3", "tea×12+", "test×1-3")


@pytest.mark.parametrize("named", ["test", "test×1,test×2-5"])
def test_a_sensitive_item_is_one_whatever_its_quantity(named):
    frame = SALES[SALES.Quantity > 0]
    data = covey.read(frame, quantity="Quantity", sensitive=named, row_is_person=True)
    assert data.sensitive_items() == ["test"]
    assert not [label for label in data.items if label.startswith("test×")]
    # Also when it is marked later: two of three baskets hold it, which is too many for p = 2.
    unmarked = covey.read(frame, quantity="Quantity", row_is_person=True)
    with pytest.raises(covey.Infeasible):
        covey.anonymize(unmarked, "degree(p=2)", sensitive=named)


def test_one_quantity_of_a_sensitive_item_cannot_be_left_to_be_published():
    with pytest.raises(InputError, match=r"'test×2-5' is another quantity .* Name 'test'"):
        covey.read(SALES[SALES.Quantity > 0], quantity="Quantity", sensitive="test×1", row_is_person=True)


def test_a_release_is_verified_against_the_file(tmp_path, covey_cli):
    rows = [(i, item, 1 + (i * k) % 7) for i in range(40) for k, item in enumerate(["ale", "tea", f"x{i % 5}"], 1)]
    rows += [(i, "test", 1 + i % 9) for i in range(0, 40, 9)]
    path = saved(pd.DataFrame(rows, columns=["order", "item", "qty"]), tmp_path, "csv")
    reading = ["--quantity", "qty", "--quantity-classes", "1,3"]
    out = tmp_path / "r"
    made = covey_cli("anonymize", path, "-o", out, "-g", "degree(p=4)", "-s", "test", *reading)
    assert made[0] == 0, made[2]
    assert covey_cli("verify", out, "--original", path, *reading)[0] == 0
    assert covey_cli("verify", out, "--original", path)[0] == 1
    release = covey.read_release(out)
    assert release.sensitive_items == ("test",)
    published = Counter(label.split("×")[1] for label in release.transactions.items)
    assert set(published) == {"1-2", "3+"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"quantity_classes": "1,2"}, "need the column"),
        ({"quantity": "Quantity", "quantity_classes": "2,5"}, "from 1 upwards"),
        ({"quantity": "Quantity", "quantity_classes": "1,5,5"}, "from 1 upwards"),
        ({"quantity": "Quantity", "quantity_classes": "few"}, "from 1 upwards"),
    ],
)
def test_classes_that_are_none(options, said):
    with pytest.raises(ParameterError, match=said):
        covey.read(SALES, **options)


@pytest.mark.parametrize("how", ["csv", "parquet", "pandas"])
@pytest.mark.parametrize(("bad", "said"), [(0.5, "0.5"), ("few", "few"), (None, "the quantity is missing")])
def test_a_quantity_that_is_no_whole_number_is_told_with_its_place(how, bad, said, tmp_path):
    values = [1, 1, bad] + [1] * 5
    frame = SALES.assign(Quantity=[str(v) for v in values] if isinstance(bad, str) else values)
    with pytest.raises(InputError, match=rf"({said})"):
        covey.read(saved(frame, tmp_path, how), quantity="Quantity", row_is_person=True)


def test_lists_have_no_quantities(tmp_path):
    (tmp_path / "a.dat").write_text("a b\nb\n")
    for source in (tmp_path / "a.dat", [["a"]], covey.Baskets.of([["a"]])):
        with pytest.raises(ParameterError, match=r"row per transaction and item|in memory"):
            covey.read(source, quantity="Quantity")


def test_inspect_points_at_returns_and_says_what_can_be_done(tmp_path, covey_cli):
    import json

    path = saved(SALES, tmp_path, "csv")
    code, out, errors = covey_cli("inspect", path, "--row-is-person", "--json")
    assert code == 0
    assert json.loads(out)["quantities"] == {"column": "Quantity", "rows": 8, "others": 4, "negative": 1}
    assert "--quantity 'Quantity'" in " ".join(errors.split())
    with pytest.warns(IgnoredQuantities):
        covey.read(SALES, row_is_person=True)
