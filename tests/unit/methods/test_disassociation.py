"""Disassociation end to end on small data: what is promised, counted, drawn and estimated, against all originals."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.guarantees.km_anonymity import KmAnonymity
from covey.measure.itemsets import itemsets, top_sets
from covey.verify.chunks_anonymity import check
from covey.verify.chunks_fidelity import compare
from oracles import chunks as oracle
from strategies import examples

ITEMS = "abcde"
ROWS = st.lists(st.sets(st.sampled_from(ITEMS), max_size=3), min_size=4, max_size=7)


def plain(release):
    """A release as the oracle has it."""
    chunks = [
        (int(first), int(last), [set(release.parts.basket(r)) for r in range(*release.part_ptr[c : c + 2])])
        for c, (first, last) in enumerate(zip(release.first, release.last, strict=True))
    ]
    terms = [set(release.terms.basket(c)) for c in range(release.clusters)]
    return release.records.tolist(), chunks, terms


def made(rows, k, m, cluster=3, seed=0):
    data = covey.Baskets.of(rows)
    method = covey.method("disassociation", cluster=cluster, seed=seed)
    return data, method.anonymize(data, KmAnonymity(k, m))


def shop(n=400, seed=3):
    rng = np.random.default_rng(seed)
    return [{f"i{x:02}" for x in rng.zipf(1.4, rng.integers(0, 7)) if x < 60} for _ in range(n)]


@examples(25)
@given(ROWS, st.integers(1, 3), st.integers(0, 9))
def test_every_few_items_of_everybody_may_be_held_by_k(rows, m, seed):
    """The promise itself: looked for among all originals that the release may be of."""
    filled = [row for row in rows if row]
    if 0 < len(filled) < 2:
        return
    data, release = made(rows, 2, m, seed=seed)
    assert check(KmAnonymity(2, m), release).holds
    assert oracle.keeps(*plain(release), 2, m)
    assert all(one.passed for one in compare(release, data))
    possible = oracle.originals(*plain(release), limit=4_000)
    if possible is None:
        return
    assert any(sorted(map(sorted, one)) == sorted(map(sorted, rows)) for one in possible)
    wanted = {subset for row in filled for subset in _subsets(row, m)}
    for one in possible:
        wanted -= {subset for subset in wanted if sum(subset <= record for record in one) >= 2}
    assert not wanted
    for asked in [{"a"}, {"a", "b"}, {"b", "c", "d"}]:
        if asked <= set(release.items):
            answer = release.estimate(present=sorted(asked))
            counts = [sum(asked <= record for record in one) for one in possible]
            assert answer.lower <= min(counts) <= max(counts) <= answer.upper
            assert answer.lower <= answer.estimate <= answer.upper


def _subsets(row, m):
    return [frozenset(s) for size in range(1, m + 1) for s in combinations(sorted(row), size)]


@examples(60)
@given(ROWS, st.integers(2, 3), st.data())
def test_the_checker_agrees_with_the_definition_also_on_what_is_wrong(rows, k, data):
    """Chunks that nobody made with care, and the conditions word for word."""
    if sum(map(bool, rows)) < 2:
        return
    _, release = made(rows, 2, 2)
    sizes = [data.draw(st.integers(1, 4)) for _ in range(release.clusters)]
    forged = replace(release, records=np.array(sizes, np.int64))
    if data.draw(st.booleans()) and release.chunks:
        moved = release.last.copy()
        at = data.draw(st.integers(0, release.chunks - 1))
        moved[at] = data.draw(st.integers(int(release.first[at]), release.clusters - 1))
        forged = replace(forged, last=moved)
    assert check(KmAnonymity(k, 2), forged).holds == oracle.keeps(*plain(forged), k, 2)


@pytest.mark.parametrize(("k", "m"), [(2, 2), (5, 2), (4, 3), (3, float("inf"))])
def test_every_item_is_published_and_those_that_k_hold_are_counted(k, m):
    rows = shop()
    data, release = made(rows, k, m, cluster=20)
    assert oracle.keeps(*plain(release), k, 99 if m == float("inf") else m)
    assert set(release.items) == set().union(*rows)
    assert release.n == len(rows)
    frequent = {data.items[i] for i in np.flatnonzero(data.supports() >= k)}
    assert len(frequent - release.counted_items()) <= 2
    for seed in (1, 2):
        drawn = release.draw(seed)
        assert drawn.n == data.n
        assert drawn.supports().tolist() == release.supports().tolist()


@pytest.mark.parametrize(("k", "m", "cluster"), [(2, 2, 4), (3, 3, 10), (5, 2, 1_000)])
def test_pieces_make_the_same_release_and_find_the_same_offences(monkeypatch, k, m, cluster):
    rows = shop(n=300)
    _, whole = made(rows, k, m, cluster=cluster)
    asked = KmAnonymity(k + 3, m)
    before = check(asked, whole).figures["offence"]
    monkeypatch.setattr("covey.release.chunking.AT_ONCE", 7)
    _, release = made(rows, k, m, cluster=cluster)
    assert plain(release) == plain(whole)
    assert check(KmAnonymity(k, m), release).holds
    found = check(asked, release).figures["offence"]
    assert (found is None) == (before is None)
    if found is not None:
        (chunk,) = {label.rpartition("(chunk ")[2].rstrip(")") for label in found["set"]}
        held = {label.rpartition(" (chunk ")[0] for label in found["set"]}
        parts = range(*release.part_ptr[int(chunk) : int(chunk) + 2])
        holding = [row for row in parts if held <= set(release.parts.basket(row))]
        assert len(holding) == found["support"] < k + 3
        assert holding[: len(found["rows"])] == found["rows"]


def test_questions_are_answered_between_bounds_that_hold_the_truth():
    rows = shop()
    data, release = made(rows, 4, 2, cluster=20)
    rng = np.random.default_rng(1)
    labels = np.array(data.items)[np.argsort(-data.supports())][:25]
    for _ in range(60):
        present = set(rng.choice(labels, rng.integers(0, 4), replace=False).tolist())
        absent = set(rng.choice(labels, rng.integers(0, 3), replace=False).tolist()) - present
        truth = sum(present <= row and not absent & row for row in rows)
        answer = release.estimate(present=present, absent=absent)
        assert answer.lower <= truth <= answer.upper
        assert answer.lower <= answer.estimate <= answer.upper
        assert answer.standard_error > 0 or answer.lower == answer.upper
    assert release.estimate().lower == release.estimate().upper == len(rows)


def test_estimates_are_what_draws_give_on_average():
    _, release = made(shop(), 4, 2, cluster=20)
    drawn = [release.draw(seed) for seed in range(60)]
    for present in (["i01"], ["i01", "i02"], ["i02", "i05"], ["i03", "i04"]):
        at = [release.items.index(item) for item in present]
        counts = [int((b.to_scipy()[:, at].sum(axis=1) == len(at)).sum()) for b in drawn]
        answer = release.estimate(present=present)
        assert abs(np.mean(counts) - answer.estimate) <= max(3 * np.std(counts) / np.sqrt(len(counts)), 0.3)


def test_questions_that_cannot_be_answered():
    _, release = made(shop(), 4, 2, cluster=20)
    with pytest.raises(covey.CoveyError, match="no item 'i0x'"):
        release.estimate(present=["i0x"])
    with pytest.raises(covey.CoveyError, match="both present and absent"):
        release.estimate(present=["i01"], absent=["i01"])
    with pytest.raises(covey.CoveyError, match="as a list"):
        release.estimate(present="i01")
    with pytest.raises(covey.CoveyError, match="no sensitive items"):
        release.estimate("i01")


@pytest.mark.parametrize(
    "rows",
    [
        [],
        [set()],
        [set(), set()],
        [{"a"}, {"a"}],
        [{"a"}, {"b"}, set()],
        [{"a", "b", "c"}] * 9,
        [set("abcdefghij")] * 2,
    ],
)
@pytest.mark.filterwarnings("ignore::covey.errors.LittleKept")  # nothing of two different baskets can be kept
def test_odd_data(rows, tmp_path):
    data = covey.Baskets.of(rows)
    published = covey.publish(data, tmp_path / "out", "km-anonymity(k=2, m=2)", "disassociation", csv=True)
    assert published.verdict.holds
    release = covey.read_release(tmp_path / "out")
    assert release.n == len(rows)
    assert release.draw(0).n == len(rows)


def test_a_cluster_is_never_smaller_than_k():
    _, release = made(shop(), 30, 2, cluster=4)
    assert release.records[: int(release.last.max()) + 1].min() >= 30


@given(st.lists(st.sets(st.sampled_from("abcdefg")), max_size=12), st.integers(1, 30))
def test_the_most_frequent_sets_are_those_of_the_definition(rows, top):
    data = covey.Baskets.of(rows)
    found = {tuple(data.items[i] for i in members) for members in top_sets(data, top)}
    assert found == oracle.top_sets(rows, top)


def test_what_is_kept_as_it_was_has_no_error():
    rows = [{"a", "b"}] * 6 + [{"c"}] * 5
    for method in ("disassociation", "mm", "mhghs"):
        data = covey.Baskets.of(rows)
        found = itemsets(covey.anonymize(data, "km-anonymity(k=5, m=2)", method, seed=1), data)
        assert (found.top_deviation, found.pair_error, found.lost_items) == (0, 0, 0)


def test_items_in_term_chunks_alone_are_lost():
    rows = [{"a", "b"}] * 4 + [{"a", "c"}]
    data, release = made(rows, 5, 2)
    found = itemsets(release, data)
    assert found.lost_items == 0.0
    assert release.counted_items() == {"a"}
    assert found.pair_error > 0


def test_generalized_labels_are_drawn_as_their_items():
    tree = covey.Taxonomy.from_pairs([("ale", "beer"), ("stout", "beer"), ("beer", "*"), ("tea", "*")])
    data = covey.Baskets.of([["ale", "tea"], ["stout", "tea"], ["tea"]])
    release = covey.anonymize(data, "km-anonymity(k=2, m=2)", "aa", taxonomy=tree, seed=0)
    drawn = [release.draw(seed) for seed in range(20)]
    assert {item for baskets in drawn for row in range(3) for item in baskets.basket(row)} == {"ale", "stout", "tea"}
    assert itemsets(release, data).lost_items == 0.0
