"""Taxonomies and hierarchies that are proposed, written, edited and read again."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.data.derived import by_codes, by_names
from covey.data.hierarchy_suggestion import suggest_hierarchy
from covey.errors import InputError, ParameterError
from covey.io.trees import read_hierarchy, write_hierarchy
from strategies import examples

SALES = [
    ["dark beer", "pale beer", "corn chips"],
    ["green tea", "black tea"],
    ["black tea", "soap bar"],
    ["salt chips"],
]


def parent(tree, label):
    return tree.labels[tree.parent[tree.node(label)]]


@given(st.sets(st.text("abc 123", min_size=1, max_size=6).map(str.strip).filter(bool), min_size=2, max_size=30))
@examples(20)
def test_every_proposal_has_exactly_the_items_as_leaves(items):
    ordered = sorted(items)
    baskets = covey.Baskets.of([ordered[:3], ordered[2:], ordered])
    for by in ("names", "codes", "together"):
        try:
            tree = covey.suggest_taxonomy(baskets, by)
        except InputError as error:
            assert "share no words" in str(error)
            continue
        assert {label for label, leaf in zip(tree.labels, tree.is_leaf(), strict=True) if leaf} == items
        assert not any("derived" in label for label in tree.labels)


def test_grounds_are_chosen_by_what_items_are_called():
    tree = covey.suggest_taxonomy(SALES)
    assert [parent(tree, item) for item in ("dark beer", "black tea", "salt chips")] == ["beer", "tea", "chips"]
    codes = covey.suggest_taxonomy([["1001", "1002"], ["1101", "2001"]])
    assert codes.labels == ("*", "1*", "100*", "1001", "1002", "1101", "2001")
    assert covey.suggest_taxonomy([["x1y", "z"], ["w", "x1y"]]).derived  # nothing in common but baskets
    with pytest.raises(InputError, match="share no words"):
        by_names(["ale", "tea"])
    with pytest.raises(ParameterError, match="by"):
        covey.suggest_taxonomy(SALES, "colour")
    with pytest.raises(ParameterError, match="Name the columns"):
        covey.suggest_taxonomy(SALES, "categories")
    assert by_codes(["a", "b"]).height == 1


def test_categories_of_the_export_are_the_commonest_of_each_item(tmp_path):
    path = tmp_path / "sales.csv"
    rows = ["1,ale,beer,drinks", "1,tea,,drinks", "2,ale,beer,drinks", "3,ale,wine,drinks", "3,soap,,"]
    path.write_text("order,product,category,department\n" + "\n".join(rows) + "\n")
    tree = covey.suggest_taxonomy(path, categories="category,department", row_is_person=True)
    assert (parent(tree, "ale"), parent(tree, "beer"), parent(tree, "tea")) == ("beer", "drinks", "drinks")
    assert parent(tree, "soap") == "*"


def test_a_taxonomy_is_written_edited_and_read_again(tmp_path):
    path = tmp_path / "tree.csv"
    tree = covey.suggest_taxonomy(SALES)
    covey.io.write(tree, path)
    assert covey.read_taxonomy(path).labels == tree.labels
    text = path.read_text()
    path.write_text(text + "beer,ale kinds\nale kinds,beer\n")
    with pytest.raises(InputError, match=r"tree.csv, line \d+: 'beer' has a second parent"):
        covey.read_taxonomy(path)
    path.write_text("child,parent\na,b\nb,c\nc,a\n")
    with pytest.raises(InputError, match="has a cycle"):
        covey.read_taxonomy(path)
    with pytest.raises(InputError, match="begins or ends with spaces"):
        covey.write_taxonomy(covey.Taxonomy.flat([" a", "b"]), path)
    covey.write_taxonomy(covey.Taxonomy.flat(['a "quoted", item', "b"]), path, force=True)
    assert covey.read_taxonomy(path).leaves[0] == 2


@given(st.lists(st.integers(-50, 500), min_size=1, max_size=80), st.integers(2, 20))
@examples(30)
def test_ranges_of_numbers_cover_their_values(numbers, intervals):
    values = [str(number) for number in sorted(set(numbers))]
    tree = suggest_hierarchy(values, [numbers.count(int(value)) for value in values], "numbers", intervals=intervals)
    assert set(tree.labels[: tree.leaves]) == set(values)
    for leaf in range(tree.leaves):
        label = tree.labels[tree.parent[leaf]]
        if label != "*":
            low, high = label[1:-1].rsplit("-", 1) if label.count("-") == 1 else (None, None)
            assert low is None or int(low) <= int(tree.labels[leaf]) <= int(high)


def test_hierarchies_of_codes_dates_and_what_fits_nothing(tmp_path):
    tree = suggest_hierarchy(["01001", "01002", "02001"], [1, 1, 1])
    assert tree.labels[tree.parent[0]] == "0100*"
    write_hierarchy(tree, tmp_path / "zip.csv")
    assert read_hierarchy(tmp_path / "zip.csv").labels == tree.labels
    assert "2011-Q4" in suggest_hierarchy(["31.12.2011"], [1]).labels
    with pytest.raises(InputError, match="'a' is not a number"):
        suggest_hierarchy(["1", "a"], [1, 1], "numbers")
    with pytest.raises(InputError, match="not all values are dates"):
        suggest_hierarchy(["1", "a"], [1, 1], "dates")
    with pytest.raises(ParameterError, match="one of numbers"):
        suggest_hierarchy(["1"], [1], "colour")


def test_the_cost_is_tried_on_some_of_very_many_baskets(monkeypatch):
    from covey.report import taxonomy_view

    rng = np.random.default_rng(0)
    baskets = covey.Baskets.of([[f"i{j}" for j in rng.integers(0, 12, 3)] for _ in range(400)] + [["once", "i0"]])
    tree = covey.suggest_taxonomy(baskets, "together")
    whole = taxonomy_view.cost_of(tree, baskets)
    assert (whole.tried, whole.of) == (401, 401)
    assert "drawn" not in str(whole)
    monkeypatch.setattr(taxonomy_view, "TRIED", 100)
    part = taxonomy_view.cost_of(tree, baskets)
    assert (part.tried, part.of) == (100, 401)
    assert str(part).endswith("items left (tried on 100 of 401 baskets, drawn at random).")
    assert part == taxonomy_view.cost_of(tree, baskets)
    assert part.kept <= whole.kept


@pytest.mark.parametrize("by", ["names", "together"])
def test_the_name_of_a_group_says_how_many_of_its_items_are_something_else(by):
    baskets = covey.synth.shop(transactions=800, seed=2).baskets
    tree = covey.suggest_taxonomy(baskets, by)
    below = {}
    for item in baskets.items:
        node = tree.parent[tree.node(item)]
        while tree.parent[node] >= 0 and tree.parent[node] != node:
            below.setdefault(tree.labels[node], []).append(item)
            node = tree.parent[node]
    assert below
    for label, items in below.items():
        names, _, rest = label.partition(" + ")
        words = [word.casefold().rstrip("s") for word in names.split(", ")]
        told = [item for item in items if any(word in item.casefold() for word in words)]
        # What is not counted as something else has the name in it.
        assert len(items) - int(rest.split()[0] if rest else 0) <= len(told), label
