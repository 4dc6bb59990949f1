"""The attacks against their slow twins, and what they must never do."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.attacks import AttackResult, run_attacks
from covey.attacks.learned import learned
from covey.attacks.linkage import linkage
from covey.attacks.pivot import pivot
from covey.attacks.result import claimed, wilson
from covey.attacks.truth import find_truth
from covey.errors import InputError, ParameterError
from covey.kernels.measure.attack import learn_guesses, posteriors
from covey.kernels.shared.csr import transpose
from covey.release.grouped import GROUPED
from covey.release.grouped.original import parts
from oracles import adversaries as oracle
from releases import cases, few, groups_of

pytestmark = [
    pytest.mark.kernel,
    # Hashes of rows are meant to wrap round; as plain Python numpy remarks on it.
    pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning"),
]


def holders_of(rows, hidden):
    return {frozenset(row): h for row, h in zip(rows, hidden, strict=True)}


@few
@given(cases(distinct=True))
def test_pivot_guesses_the_medoid(case):
    data, rows, hidden, release, groups = case
    holds, right, total = holders_of(rows, hidden), 0, 0
    for (baskets, counts), scores in zip(groups, oracle.pivot_scores(groups), strict=True):
        guess = baskets[scores.index(max(scores))]
        right += sum(s in holds[frozenset(guess)] for s in counts)
        total += len(counts)
    found = pivot(release, data)
    assert found.targets == total
    assert found.success_rate == pytest.approx(right / total)
    assert found.chance == pytest.approx(
        np.mean([c / len(b) for b, counts in groups for c in counts.values()])
    )


@few
@given(cases(distinct=True), st.integers(1, 3))
def test_learned_guesses_a_member_that_naive_bayes_likes_best(case, rounds):
    _, _, _, release, groups = case
    published = release.transactions
    for s, label in enumerate(release.sensitive_items):
        entries = np.flatnonzero(release.count_item == s)
        guesses = learn_guesses(
            published.indptr,
            published.indices,
            published.supports(),
            release.group_ptr,
            entries,
            release.count_group,
            release.count,
            rounds,
            0.1,
        )
        scores = oracle.learned_scores(groups, label, rounds, 0.1)
        for entry, guess in zip(entries, guesses, strict=True):
            g = release.count_group[entry]
            of_group = scores[g]
            assert of_group[guess - release.group_ptr[g]] >= max(of_group) - 1e-9


@few
@given(cases(distinct=True))
def test_learned_counts_what_it_got_right(case):
    data, _, _, release, _ = case
    found = learned(release, data)
    assert found.targets == len(release.count)
    assert found.success_rate * found.targets == pytest.approx(round(found.success_rate * found.targets))
    assert 0 <= found.low <= found.success_rate <= found.high <= 1


@few
@given(cases(), st.data())
def test_posteriors_are_means_over_all_matching_members(case, draw):
    _, _, _, release, groups = case
    published = release.transactions
    r = draw.draw(st.integers(1, min(3, published.d)))
    sets = np.array([draw.draw(st.permutations(range(published.d)))[:r] for _ in range(3)], np.int32)
    item, best, own = posteriors(
        sets,
        np.zeros(3, np.int64),
        *transpose(published.indptr, published.indices, published.d),
        np.repeat(np.arange(release.groups), release.group_sizes()),
        release.group_sizes(),
        np.searchsorted(release.count_group, np.arange(release.groups + 1)),
        release.count_item,
        release.count,
        len(release.sensitive_items),
    )
    for i, chosen in enumerate(sets):
        known = {published.items[j] for j in chosen}
        assert best[i] == pytest.approx(oracle.best_posterior(groups, known))
        assert (item[i] == -1) == (best[i] == 0)
        if item[i] == 0:
            assert own[i] == best[i]


@few
@given(cases())
def test_linkage_never_exceeds_the_claim(case):
    data, _, _, release, _ = case
    found = linkage(release, data, targets=50)
    assert found.details["worst_posterior"] <= found.claim
    assert found.details["worst_possible"] <= found.claim
    assert all(step["worst_posterior"] <= found.claim for step in found.details["by_known"])


@few
@given(cases(distinct=True))
def test_the_truth_of_distinct_baskets_is_exact(case):
    data, rows, hidden, release, groups = case
    truth = find_truth(release, *parts(release, data))
    holds = holders_of(rows, hidden)
    for entry in range(len(release.count)):
        g, label = release.count_group[entry], release.sensitive_items[release.count_item[entry]]
        members = np.arange(*release.group_ptr[g : g + 2])
        expected = [float(label in holds[frozenset(basket)]) for basket in groups[g][0]]
        assert truth.of(np.full(len(members), entry), members) == pytest.approx(expected)


@few
@given(cases())
def test_the_truth_of_equal_baskets_adds_up(case):
    data, _, _, release, _ = case
    truth = find_truth(release, *parts(release, data))
    for entry in range(len(release.count)):
        members = np.arange(*release.group_ptr[release.count_group[entry] :][:2])
        shares = truth.of(np.full(len(members), entry), members)
        assert ((shares >= 0) & (shares <= 1 + 1e-9)).all()
        # Fitting comes close, but need not arrive, where some shares must become 0 or 1.
        assert shares.sum() == pytest.approx(release.count[entry], abs=0.1)


def test_equal_members_share_the_holder_between_them():
    rows = [["a", "s"], ["a"], ["a"], ["a"], ["b"], ["b"], ["b"], ["b"]]
    data = covey.Baskets.of(rows, sensitive=["s"])
    release = covey.anonymize(data, "degree(p=4)", seed=0)
    assert groups_of(release)[int(release.count_group[0])][0] == [{"a"}] * 4
    found = pivot(release, data)
    assert found.success_rate == pytest.approx(0.25)
    assert not found.beats_claim


def test_run_attacks_runs_the_table_and_repeats_itself():
    rng = np.random.default_rng(0)
    rows = [{f"i{j}" for j in rng.integers(0, 20, 4)} | ({"s"} if i % 15 == 0 else set()) for i in range(300)]
    data = covey.Baskets.of(rows, sensitive=["s"])
    release = covey.anonymize(data, "degree(p=5)", seed=0)
    results = run_attacks(release, data, seed=3)
    assert [result.attack for result in results] == list(GROUPED.attacks)
    assert all(isinstance(result, AttackResult) and result.claim == 0.2 for result in results)
    again = run_attacks(release, data.with_sensitive([]), seed=3)
    assert [r.to_dict() for r in results] == [r.to_dict() for r in again]


def test_a_kind_without_attacks_says_so():
    data = covey.Baskets.of([["a"], ["a"]])
    with pytest.raises(ParameterError, match="no attacks yet for releases of the kind sets"):
        run_attacks(covey.anonymize(data, "k-anonymity(k=2)", seed=0), data)


def test_an_attack_needs_the_right_original():
    data = covey.Baskets.of([["a", "s"], ["a"], ["b"]], sensitive=["s"])
    release = covey.anonymize(data, "degree(p=2)")
    with pytest.raises(InputError, match="not made from this original"):
        pivot(release, covey.Baskets.of([["a", "s"], ["b"], ["b"]]))


def test_wilson_is_the_textbook_interval():
    # Brown, Cai, DasGupta 2001: 8 of 20 gives 0.219 to 0.613.
    assert wilson(8, 20) == pytest.approx((0.2188, 0.6134), abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)


def test_the_claim_of_other_guarantees_is_the_worst_group():
    data = covey.Baskets.of([["a", "s"], ["a"], ["b"]], sensitive=["s"])
    release = covey.anonymize(data, "degree(p=3)")
    assert claimed(release) == pytest.approx(1 / 3)


def test_clumsy_groups_give_the_holder_away():
    # Similar customers around each holder: the attacker who knows this is right far more often than claimed.
    rng = np.random.default_rng(1)
    rows = []
    for i in range(200):
        core = {f"c{i}-{j}" for j in range(6)}
        rows.append(core | {"s"} if i % 2 else core)
        for _ in range(9):
            rows.append(set(rng.choice(sorted(core), 2, replace=False)))
    data = covey.Baskets.of(rows, sensitive=["s"])
    release = covey.anonymize(data, "degree(p=10)", seed=0)
    assert pivot(release, data).low > 0.5
