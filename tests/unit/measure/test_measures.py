"""KL error, exposure and pattern utility against their slow twins."""

import weakref
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.data import postings as postings_module
from covey.data.postings import Postings, distinct_sets, postings
from covey.errors import InputError, ParameterError
from covey.measure import kl as kl_module
from covey.measure.evaluation import evaluate
from covey.measure.exposure import exposure
from covey.measure.kl import Workload, answer, draw_workload, kl
from covey.measure.patterns import estimated_support, patterns, top_itemsets
from covey.measure.risk import reidentification
from covey.measure.study import Study
from covey.release.base import Statement
from covey.release.grouping import grouped
from oracles import measures as oracle
from releases import cases, few, groups_of
from strategies import baskets_of, transactions

pytestmark = [
    pytest.mark.kernel,
    # Counting bits multiplies on purpose beyond 64 of them; plain Python says so.
    pytest.mark.filterwarnings("ignore:overflow encountered in scalar multiply:RuntimeWarning"),
]


MADE = Statement(guarantee="degree(p=2)", method="cahd")


@few
@given(cases(), st.data())
def test_kl_is_that_of_all_cells(case, draw):
    data, rows, hidden, release, groups = case
    items = release.transactions.items
    r = draw.draw(st.integers(1, min(4, len(items))))
    asked = draw_workload(data, r=r, queries=6, workload=draw.draw(st.sampled_from(kl_module.WORKLOADS)), seed=r)
    totals = {s: sum(s in held for held in hidden) for s in release.sensitive_items}
    for found, known in zip(answer(Study(release, data), asked), (groups, [(rows, totals)]), strict=True):
        expected = [
            oracle.divergence(rows, hidden, known, release.sensitive_items[s], [items[j] for j in chosen])
            for s, chosen in zip(asked.sensitive, asked.items, strict=True)
        ]
        assert found.errors == pytest.approx(expected, abs=1e-9)
        assert found.mean == pytest.approx(np.mean(expected), abs=1e-9)


def test_kl_of_sixteen_items():
    rows = [{f"i{j:02}" for j in range(i % 17)} | ({"s"} if i % 5 == 0 else set()) for i in range(40)]
    data = covey.Baskets.of(rows, sensitive=["s"])
    release = covey.anonymize(data, "degree(p=2)", seed=0)
    asked = Workload(sensitive=np.array([0]), items=np.arange(16)[None, :])
    found = answer(Study(release, data), asked)[0].mean
    public = [row - {"s"} for row in rows]
    hidden = [row & {"s"} for row in rows]
    assert found == pytest.approx(
        oracle.divergence(public, hidden, groups_of(release), "s", [f"i{j:02}" for j in range(16)])
    )


def test_workloads_are_seeded_and_weighted():
    rows = [["often", f"rare{i}"] + ["s"] * (i < 3) for i in range(60)]
    data = covey.Baskets.of(rows, sensitive=["s"])
    often = data.only(~data.sensitive).items.index("often")
    uniform = draw_workload(data, r=1, queries=400, seed=1)
    weighted = draw_workload(data, r=1, queries=400, seed=1, workload="support")
    assert (weighted.items == often).mean() > 0.4 > 0.1 > (uniform.items == often).mean()
    again = draw_workload(data, r=1, queries=400, seed=1)
    assert (uniform.items == again.items).all()
    assert (uniform.sensitive == again.sensitive).all()


def test_kl_refuses_what_it_cannot_ask(fig1):
    release = covey.anonymize(fig1, "degree(p=2)")
    with pytest.raises(InputError, match="r = 5"):
        kl(release, fig1, r=5)
    with pytest.raises(ParameterError, match="workload"):
        kl(release, fig1, r=1, workload="rare")
    with pytest.raises(InputError, match="no item 'pregnancy test'"):
        kl(release, covey.Baskets.of([["wine"], ["meat"]]))
    with pytest.raises(InputError, match="2 transactions, the release 5"):
        evaluate(release, covey.Baskets.of([["wine", "viagra"], ["meat", "pregnancy test"]]))


@given(transactions(secrets=False), st.integers(1, 3))
def test_risk_is_that_of_all_cases(data, known):
    rows, _ = data
    found = reidentification(covey.Baskets.of(rows), known, samples=3_000)
    expected = oracle.risk(rows, known)
    if known == 1:
        assert found.risk == pytest.approx(expected)
    else:
        # Four times the half width of a 95 % interval, and a little for runs without any spread.
        assert abs(found.risk - expected) <= 4 * (found.high - found.low) / 2 + 0.01


@given(transactions(secrets=False), st.data())
def test_containing_counts_supersets(data, draw):
    # With 1 no item has a bitmap, with 2 those that most rows hold, with 32 all of so few rows.
    frequent = draw.draw(st.sampled_from((1, 2, 32)))
    rows, _ = data
    made = covey.Baskets.of(rows)
    if not made.d:
        return
    sets = draw.draw(st.lists(st.permutations(range(made.d)), min_size=1, max_size=4))
    r = min(3, made.d)
    chosen = np.array([s[:r] for s in sets], np.int32)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(postings_module, "FREQUENT", frequent)
        made_postings = Postings.of_rows(made.indptr, made.indices, made.d)
    found = made_postings.containing(chosen)
    assert found.tolist() == [oracle.containing(rows, [made.items[j] for j in row]) for row in chosen]
    held = [set(made.indices[made.indptr[i] : made.indptr[i + 1]].tolist()) for i in range(made.n)]
    for row in chosen:
        assert made_postings.holding(row).tolist() == [i for i, items in enumerate(held) if items >= set(row.tolist())]


def test_equal_sets_of_many_items_are_looked_up_once():
    sets = np.array([[*range(9, -1, -1)], [*range(1, 11)], [*range(10)]], np.int32)
    distinct, at = distinct_sets(sets, 1_000_000)  # ten such numbers do not fit into one
    assert distinct.tolist() == [[*range(10)], [*range(1, 11)]]
    assert at.tolist() == [0, 1, 0]


def test_measuring_refuses_other_transactions():
    original = covey.Baskets.of([["a", "b"], ["a", "c"], ["b", "c"], ["a", "s"]], sensitive=["s"])
    release = covey.anonymize(original, "degree(p=4)", seed=0)
    found = exposure(Study(release, original), 2)
    assert found.find_before == found.find_after == 1.0
    forged = covey.Baskets.of([["a", "b"], ["a", "b"], ["a", "b"], ["c"]])
    with pytest.raises(InputError, match="not made from this original"):
        exposure(Study(replace(release, transactions=forged), original), 2)


def test_shared_results_are_computed_once_and_few_are_kept():
    original = covey.Baskets.of([["a", "b"], ["a", "s"]], sensitive=["s"])
    alive = weakref.ref(original)
    release = covey.anonymize(original, "degree(p=2)", seed=0)
    study = Study(release, original)
    assert study.public is study.public
    assert postings(original) is postings(original)
    evaluate(release, original, r=1, known=1)
    del original, release, study
    for items in (["a", "c"], ["a", "d"], ["a", "e"]):
        other = covey.Baskets.of([items, ["a", "s"]], sensitive=["s"])
        evaluate(covey.anonymize(other, "degree(p=2)", seed=0), other, r=1, known=1)
    assert alive() is None


@few
@given(cases(max_rows=14), st.integers(1, 2))
def test_exposure_is_that_of_all_cases(case, known):
    data, rows, hidden, release, groups = case
    found = exposure(Study(release, data), known, samples=600)
    before, after = oracle.link(rows, hidden, groups, known)
    assert found.find_before == pytest.approx(found.find_after, abs=0.05)
    assert found.link_before == pytest.approx(before, abs=0.1)
    assert found.link_after == pytest.approx(after, abs=0.05)
    assert found.worst_after <= 1 / covey.guarantee(release.guarantee).p


@given(transactions(max_rows=16), st.integers(1, 40))
def test_top_itemsets_are_those_of_a_full_count(data, top):
    rows, hidden = data
    if not set().union(*hidden) or not set().union(*rows):
        return
    data = baskets_of(rows, hidden)
    study = Study(grouped(data, np.zeros(data.n, np.int64), 1, made=MADE, seed=0), data)
    labels = study.secret.items + study.public.items
    found = [(support, tuple(labels[j] for j in ids)) for support, ids in top_itemsets(study, top)]
    assert found == oracle.top_itemsets(rows, hidden, top)


@few
@given(cases())
def test_pattern_utility_is_that_of_all_itemsets(case):
    data, rows, hidden, release, groups = case
    found = patterns(Study(release, data), top=10)
    expected = oracle.top_itemsets(rows, hidden, 10)
    secrets = set(release.sensitive_items)
    estimates = [oracle.estimated_support(groups, labels, secrets) for _, labels in expected]
    errors = [abs(e - s) / s for e, (s, _) in zip(estimates, expected, strict=True)]
    assert found.patterns == len(expected)
    assert found.kept == sum(error <= 0.1 + 1e-9 for error in errors)
    assert found.mean_relative_error == pytest.approx(np.mean(errors) if errors else 0.0)
    p = covey.guarantee(release.guarantee).p
    able = [p * support <= sum(set(labels) - secrets <= row for row in rows) for support, labels in expected]
    assert found.admissible == sum(able)
    assert found.admissible_kept == sum(ok and error <= 0.1 + 1e-9 for ok, error in zip(able, errors, strict=True))
    for wanted, told in ((True, found.admissible_error), (False, found.inadmissible_error)):
        some = [error for ok, error in zip(able, errors, strict=True) if ok == wanted]
        assert told == pytest.approx(np.mean(some) if some else 0.0)


def test_a_pattern_of_one_sensitive_item_alone_is_exact(fig1):
    release = covey.anonymize(fig1, "degree(p=2)")
    assert estimated_support(release, (0,), 2) == pytest.approx((1.0, release.transactions.n))


def test_evaluate_reports_everything_and_needs_no_marks(fig1):
    release = covey.anonymize(fig1, "degree(p=2)", seed=0)
    unmarked = fig1.with_sensitive([])
    found = evaluate(release, unmarked, seed=1)
    assert found == evaluate(release, fig1, seed=1)
    assert found["kl"]["uniform"]["r"] == 4
    assert [row["known"] for row in found["exposure"]] == [1, 2, 3, 4]
    assert found["exposure"][3]["samples"] == 0
    assert found["patterns"]["patterns"] == 6
