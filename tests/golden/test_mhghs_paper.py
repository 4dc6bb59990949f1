"""The running example of Liu & Wang 2010 (Fig. 1 and 2, k = 2), with every number printed or implied."""

import math
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest

import covey
from covey.measure.loss import lm, ncp
from covey.methods.aa import AA
from covey.methods.cut_search import CutSearch
from covey.methods.hghs import HgHs
from covey.methods.lg import LG
from covey.methods.mhghs import MHgHs
from covey.methods.mm import MM
from covey.methods.tree_view import TreeView
from covey.methods.work import WorkLimit
from covey.verify import check_release
from trees import mined_threats

ROWS = ["bcd", "afg", "dfyz", "cdfx", "abcfg", "ei", "e", "i"]
NESTED = {
    "T": {"P": {"H": ["a", "b"], "K": ["c", "d"]}, "Q": {"L": ["f", "g"], "M": ["x", "y", "z"]}, "e": {}, "i": {}}
}  # fmt: skip
PROMISE = covey.guarantee("km-anonymity(k=2, m=inf)")


@pytest.fixture(scope="module")
def data():
    return covey.Baskets.of([list(row) for row in ROWS])


@pytest.fixture(scope="module")
def tree():
    return covey.Taxonomy.from_nested(NESTED)


@pytest.fixture(scope="module")
def view(data, tree):
    return TreeView.of(data, tree)


def names(tree, nodes):
    return {tree.labels[x] for x in nodes}


def test_twenty_five_minimal_threats(data, tree):
    _, threats = mined_threats(data, tree, 2, 5)
    assert Counter(map(len, threats)) == {1: 3, 2: 13, 3: 9}
    assert {("H", "K", "Q"), ("e", "i")} <= set(threats)


def test_the_path_of_hghs_with_its_costs(view, tree):
    found = HgHs(taxonomy=tree).search(view, PROMISE)
    assert [cost for cost, _ in found.path] == pytest.approx([23, 8.6, 6.2, 5.6])
    assert [tree.labels[x] for _, x in found.path[1:]] == ["T", "Q", "L"]
    assert names(tree, found.cut()) == set("PfgMei")
    assert names(tree, found.suppressed()) == {"i"}


def test_the_rival_of_the_third_cut(view, tree):
    search = CutSearch(view, 2, 5, np.zeros(tree.size, bool))
    everything = np.zeros(tree.size, bool)
    everything[[tree.node("T"), tree.node("P")]] = True
    search.descend(everything)
    assert names(tree, search.cut()) == set("HKQei")
    assert search.cost == pytest.approx(10.2)
    assert names(tree, search.suppressed()) == {"H", "i"}


def test_every_child_of_the_last_cut_costs_more(view, tree):
    found = HgHs(taxonomy=tree).search(view, PROMISE)
    for label in "PM":
        gain, undo = found.attempt(tree.node(label))
        assert gain < 0
        undo()
    assert found.cost == pytest.approx(5.6)


def test_the_rounds_of_mhghs(view, tree):
    rounds = MHgHs(taxonomy=tree).rounds(view, 2, 5, WorkLimit())
    assert names(tree, rounds[0].cut()) == set("abcdfgMei")
    assert not len(rounds[0].suppressed())
    assert names(tree, rounds[1].cut()) == set("HKLMei")
    assert rounds[1].cost == pytest.approx(4.2)
    assert names(tree, rounds[-1].cut()) == set("PLMei")
    assert names(tree, rounds[-1].suppressed()) == {"i"}
    assert rounds[-1].cost == pytest.approx(6.2)


@pytest.mark.parametrize("never_worse", [False, True])
def test_mhghs_ends_at_5_6(data, tree, never_worse):
    release = MHgHs(taxonomy=tree, never_worse=never_worse, seed=0).anonymize(data, PROMISE)
    assert lm(release, data, tree) == pytest.approx(5.6)
    assert ncp(release, data, tree) == pytest.approx(5.6 / 23)
    published = sorted(tuple(release.transactions.basket(i)) for i in range(8))
    assert published == sorted([("P",), ("P", "f", "g"), ("M", "P", "f"), ("M", "P", "f"), ("P", "f", "g"),
                                ("e",), ("e",), ()])  # fmt: skip
    assert "i" not in release.recoding


def test_aa_generalizes_everything(data, tree):
    release = AA(taxonomy=tree).anonymize(data, PROMISE)
    assert set(release.recoding.values()) == {"T"}


@pytest.mark.parametrize("promise", ["km-anonymity(k=2, m=inf)", "coherence(h=1, k=2, p=inf)"])
def test_mm_suppresses_b_c_i_x_y_z(data, promise):
    release = MM().anonymize(data, covey.guarantee(promise))
    assert set(data.items) - set(release.recoding) == set("bcixyz")


def test_lg_publishes_the_rows_of_the_figure(view, tree):
    indptr, nodes = LG(taxonomy=tree).label_rows(view, 2)
    rows = ["".join(sorted(tree.labels[x] for x in nodes[a:b])) for a, b in pairwise(indptr)]
    assert rows == ["T", "Pfg", "KMf", "KMf", "Pfg", "T", "T", "T"]


@pytest.mark.parametrize("method", ["hghs", "mhghs", "aa", "mm", "lg"])
@pytest.mark.parametrize("m", [1, 2, 3, math.inf])
def test_all_releases_keep_the_promise(data, tree, method, m):
    release = covey.anonymize(data, f"km-anonymity(k=2, m={m})", method, taxonomy=tree)
    assert check_release(covey.guarantee(release.guarantee), release).holds
