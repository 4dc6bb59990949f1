import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.data import Taxonomy
from covey.data.derived import derive_taxonomy
from oracles import company
from oracles import recoding as slow
from trees import taxonomy_of, trees

PAIRS = [("ale", "beer"), ("stout", "beer"), ("beer", "drinks"), ("tea", "drinks")]


@given(trees())
def test_the_tour_answers_ancestry_and_counts_leaves(shape):
    tree = taxonomy_of(shape)
    assert set(tree.labels) == set(shape)
    for x, label in enumerate(tree.labels):
        assert tree.leaves[x] == len(slow.leaves(shape, label))
        assert tree.depth[x] == len(slow.ancestors(shape, label)) - 1
        assert [tree.labels[c] for c in tree.children(x)] == sorted(shape[label])
        for y, other in enumerate(tree.labels):
            assert tree.is_ancestor(x, y) == (label in slow.ancestors(shape, other))
        expected = slow.loss_of(shape, tree.labels[0], label)
        assert tree.loss()[x] == pytest.approx(expected)


def test_several_roots_get_a_common_one():
    tree = Taxonomy.from_pairs([("ale", "beer"), ("tea", "hot")])
    assert tree.labels == ("*", "beer", "ale", "hot", "tea")
    starred = Taxonomy.from_pairs([("*", "odd"), ("tea", "hot")])
    assert starred.labels[0] == "**"


def test_paths_may_repeat_a_label_under_two_parents():
    tree = Taxonomy.from_paths([["1", "other", "food"], ["2", "other", "drinks"], ["3", "food", "food"]])
    assert set(tree.labels) == {"*", "1", "2", "3", "food", "food/other", "drinks/other", "drinks", "food/food"}
    assert tree.labels[tree.parent[tree.node("2")]] == "drinks/other"
    assert tree.labels[tree.parent[tree.node("3")]] == "food/food"


def test_a_group_may_be_called_like_an_item():
    tree = Taxonomy.from_paths([["sausage", "sausage", "meat"], ["ham", "sausage", "meat"]])
    assert tree.labels[tree.parent[tree.node("ham")]] == "meat/sausage"
    assert tree.bind(["sausage", "ham"]).tolist() == [tree.node("sausage"), tree.node("ham")]


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([("a", "b"), ("b", "c"), ("c", "a")], "has a cycle: 'a' → 'b' → 'c' → 'a'"),
        ([("a", "a")], "its own parent"),
        ([("a", "b"), ("a", "c")], "second parent, 'c'"),
        ([("a", "b"), ("a", "b")], "listed again"),
        ([("", "b")], "without a label"),
        ([], "no nodes"),
    ],
)
def test_bad_pairs_are_refused(pairs, message):
    with pytest.raises(covey.InputError, match=message):
        Taxonomy.from_pairs(pairs)


def test_the_first_parent_can_be_kept():
    tree = Taxonomy.from_pairs([("a", "b"), ("a", "c"), ("c", "b")], second_parent="first")
    assert tree.labels == ("b", "a", "c")


@pytest.mark.parametrize(
    ("paths", "message"),
    [
        ([["a", "x"], ["a", "y"]], "has a second parent"),
        ([["a", "x"], ["a", "x"]], "listed again"),
        ([["", "x"]], "without a label"),
        ([["x", "top"], ["a", "x", "top"]], "is above other items"),
        ([], "no items"),
    ],
)
def test_bad_paths_are_refused(paths, message):
    with pytest.raises(covey.InputError, match=message):
        Taxonomy.from_paths(paths)


def test_items_must_be_leaves():
    tree = Taxonomy.from_pairs(PAIRS)
    with pytest.raises(covey.InputError, match=r"1 of 2 items are not in the taxonomy: 'rum'"):
        tree.bind(["ale", "rum"])
    with pytest.raises(covey.InputError, match="1 item above others"):
        tree.bind(["ale", "beer"])


def test_nested_trees_in_two_styles():
    one = Taxonomy.from_nested({"drinks": {"beer": ["ale", "stout"], "tea": {}}})
    two = Taxonomy.from_nested(
        {"label": "drinks", "children": [{"label": "beer", "children": ["ale", "stout"]}, {"label": "tea"}]}
    )
    assert one.labels == two.labels == Taxonomy.from_pairs(PAIRS).labels
    with pytest.raises(covey.InputError, match="where a node is expected"):
        Taxonomy.from_nested({"drinks": [1.5]})


def test_a_depth_of_a_thousand_is_fine():
    tree = Taxonomy.from_pairs([(f"n{i}", f"n{i + 1}") for i in range(1000)] + [("m", "n1000")])
    assert tree.height == 1000
    data = covey.Baskets.of([["n0"], ["n0", "m"], ["m"]] * 3)
    release = covey.anonymize(data, "km-anonymity(k=3, m=2)", "mhghs", taxonomy=tree)
    assert release.transactions.items == ("m", "n0")


def test_a_flat_tree_and_an_empty_one():
    assert Taxonomy.flat(["b", "a"]).labels == ("*", "a", "b")
    assert Taxonomy.flat(["only"]).labels == ("*", "only")
    assert Taxonomy.flat([]).size == 1
    assert Taxonomy.flat(["*", "a"]).labels[0] == "**"


def test_a_derived_tree_joins_what_goes_together_and_says_so():
    rng = np.random.default_rng(0)
    rows = [[f"{side}{i}" for i in rng.integers(0, 4, 3)] for side in "ab" for _ in range(50)]
    data = covey.Baskets.of(rows)
    tree = derive_taxonomy(data, fanout=4)
    assert tree.derived
    assert "derived" in repr(tree)
    tree.bind(data.items)
    groups = {tree.labels[tree.parent[tree.node(item)]] for item in data.items if item.startswith("a")}
    assert len(groups) == 1
    assert not any(label.startswith("derived") for label in tree.labels)
    with pytest.raises(covey.CoveyError, match="fanout"):
        derive_taxonomy(data, fanout=1)


@given(st.lists(st.sets(st.integers(0, 11)), min_size=1, max_size=20), st.integers(2, 5))
def test_a_derived_tree_has_the_nodes_of_its_slow_twin(rows, fanout):
    names = [f"i{item:02d}" for item in range(12)]
    data = covey.Baskets.of([[names[item] for item in row] for row in rows if row] + [[names[0], names[1]]])
    place = {item: number for number, item in enumerate(data.items)}
    sets = [{place[item] for item in data.basket(i)} for i in range(data.n)]
    tree = derive_taxonomy(data, fanout=fanout)
    made = set()
    for x, leaf in enumerate(tree.is_leaf()):
        below = np.arange(x, tree.last[x] + 1)
        leaves = frozenset(place[tree.labels[y]] for y in below[tree.is_leaf()[below]])
        made |= set() if leaf else {leaves}
    assert made == company.nodes(sets, data.d, fanout)


def test_the_constructor_refuses_what_is_not_a_tree():
    for labels, parent in (((), []), (("a", "b"), [-1, 1]), (("a", "a"), [-1, 0]), (("a", "b"), [0, -1])):
        with pytest.raises(covey.InputError):
            Taxonomy(labels=labels, parent=np.array(parent, np.int32))
