import numpy as np
import pytest

from covey.data import Hierarchy
from covey.errors import InputError
from strategies import ANIMALS


def test_leaves_come_first_and_every_node_covers_a_range():
    tree = Hierarchy.from_paths(ANIMALS.values())
    assert tree.labels[: tree.leaves] == ("cat", "dog", "cow", "hen")
    assert tree.labels[-1] == "*"
    for node, label in enumerate(tree.labels):
        below = [leaf for leaf in range(tree.leaves) if label in ANIMALS[tree.labels[leaf]]]
        assert below == list(range(tree.first[node], tree.last[node] + 1))


def test_common_ancestors_and_losses():
    tree = Hierarchy.from_paths(ANIMALS.values())
    for (low, high), label in {(0, 0): "cat", (0, 1): "pet", (1, 2): "mammal", (2, 3): "*"}.items():
        assert tree.labels[tree.common_ancestor(low, high)] == label
    losses = dict(zip(tree.labels, tree.losses(), strict=True))
    assert losses == {"cat": 0, "dog": 0, "cow": 0, "hen": 0, "mammal": 0.75, "pet": 0.5, "*": 1}


def test_a_walk_keeps_children_together_whatever_the_order_of_the_lines():
    tree = Hierarchy.from_paths([["cat", "pet", "*"], ["hen", "*"], ["dog", "pet", "*"]])
    assert tree.labels[:3] == ("cat", "dog", "hen")


def test_from_parents_paths_and_flat_agree():
    parents = {"cat": "pet", "dog": "pet", "pet": "mammal", "cow": "mammal", "mammal": "*", "hen": "*"}
    one, other = Hierarchy.from_parents(parents), Hierarchy.from_paths(ANIMALS.values())
    assert one.labels == other.labels
    assert (one.parent == other.parent).all()
    assert Hierarchy.flat(["b", "a"]).labels == ("a", "b", "*")


def test_a_named_root_stays_and_several_tops_get_one():
    assert Hierarchy.from_parents({"a": "all", "b": "all"}).labels == ("a", "b", "all")
    tree = Hierarchy.from_parents({"a": "x", "b": "y"})
    assert tree.labels[-1] == "*"
    assert len(tree.labels) == 5


def test_one_more_leaf():
    tree = Hierarchy.from_paths(ANIMALS.values()).with_leaf("")
    assert tree.labels[4] == ""
    assert tree.labels[tree.common_ancestor(0, 1)] == "pet"
    assert tree.labels[tree.common_ancestor(3, 4)] == "*"
    assert tree.parent[4] == len(tree.labels) - 1
    assert (tree.first <= tree.last).all()
    assert np.isclose(tree.losses()[-1], 1.0)


def test_repeated_labels_in_a_path_count_once():
    tree = Hierarchy.from_paths([["x", "x", "*", "*"], ["y", "*"]])
    assert tree.labels == ("x", "y", "*")


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        ([["a", "g", "*"], ["a", "h", "*"]], "'a' is under 'g' and under 'h'"),
        ([["a", "", "*"]], "empty label"),
        ([["a", "b", "*"], ["b", "*"]], "both a leaf and a group"),
    ],
)
def test_bad_paths(paths, message):
    with pytest.raises(InputError, match=message):
        Hierarchy.from_paths(paths)


@pytest.mark.parametrize(
    ("parents", "message"),
    [({"a": "b", "b": "a"}, "its own ancestor"), ({"*": "x", "a": "*"}, "the root '\\*' has a parent")],
)
def test_bad_parents(parents, message):
    with pytest.raises(InputError, match=message):
        Hierarchy.from_parents(parents)
