"""Edits of a taxonomy, and those that would break it."""

import pytest

from covey.data import Taxonomy
from covey.data.tree_editing import edited
from covey.errors import InputError

TREE = Taxonomy.from_nested({"*": {"drinks": {"beer": ["ale", "stout"], "tea kinds": ["tea"]}, "food": ["bread"]}})


def test_each_edit_keeps_the_items():
    assert "beers" in edited(TREE, "rename", "beer", " beers ").labels
    moved = edited(TREE, "move", "beer", "food")
    assert moved.labels[moved.parent[moved.node("beer")]] == "food"
    merged = edited(TREE, "merge", "tea kinds", "beer")
    assert merged.labels[merged.parent[merged.node("tea")]] == "beer"
    emptied = edited(TREE, "move", "bread", "beer")  # nothing is left in food, which is no item
    assert "food" not in emptied
    for tree in (moved, merged, emptied):
        assert {tree.labels[i] for i in range(tree.size) if tree.last[i] == i} == {"ale", "stout", "tea", "bread"}


@pytest.mark.parametrize(
    ("edit", "label", "target", "told"),
    [
        ("move", "drinks", "beer", "below 'drinks': the tree would have a cycle"),
        ("merge", "beer", "beer", "the node itself"),
        ("rename", "beer", "food", "the name 'food' is taken"),
        ("rename", "beer", " ", "is empty"),
        ("rename", "ale", "lager", "is an item; the data uses this name"),
        ("move", "beer", "bread", "items have nothing below them"),
        ("move", "*", "food", "is the root"),
        ("move", "bear", "food", "Did you mean 'beer'"),
        ("paint", "beer", "food", "cannot be 'paint'"),
    ],
)
def test_edits_that_would_break_it(edit, label, target, told):
    with pytest.raises(InputError, match=told):
        edited(TREE, edit, label, target)
