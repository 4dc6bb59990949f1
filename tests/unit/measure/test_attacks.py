"""The attacks against their slow twins, and what they must never do."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.errors import InputError
from covey.measure import study as study_module
from covey.measure.attacks import run_attacks
from covey.measure.attacks.grey import ranks_within
from covey.measure.attacks.grouped import (
    SETTINGS,
    believes,
    by_looks,
    hits,
    learn_scores,
    learned,
    linkage,
    scores_of,
    strong,
)
from covey.measure.attacks.result import baseline_of, wilson
from covey.measure.study import Study, expected_hits
from covey.release.base import Statement
from covey.release.grouping import grouped
from oracles import adversaries as oracle
from releases import cases, few, groups_of

pytestmark = [
    pytest.mark.kernel,
    # Hashes of rows are meant to wrap round; as plain Python numpy remarks on it.
    pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning"),
]


def holders_of(rows, hidden):
    return {frozenset(row): h for row, h in zip(rows, hidden, strict=True)}


def successes(release, groups, holds, scores):
    """The share of occurrences guessed rightly by (group, item) -> scores of the members, in expectation over ties."""
    right = total = 0
    for g, (baskets, counts) in enumerate(groups):
        for s, c in counts.items():
            held = [s in holds[frozenset(basket)] for basket in baskets]
            right += oracle.expected_hits(scores(g, s), held, c)
            total += c
    return right / total


@few
@given(cases(distinct=True))
def test_attacks_by_looks_guess_the_best_c_members(case):
    data, rows, hidden, release, groups = case
    holds = holders_of(rows, hidden)
    medoid, complete = oracle.pivot_scores(groups), oracle.hub_scores(groups)
    study = Study(release, data)
    wanted = (lambda g, s: medoid[g]), (lambda g, s: [len(b) for b in groups[g][0]]), (lambda g, s: complete[g])
    for found, scores in zip(by_looks(study), wanted, strict=True):
        assert found.success_rate == pytest.approx(successes(release, groups, holds, scores))
        assert found.targets == sum(c for _, counts in groups for c in counts.values())
        chance = sum(c * c / len(b) for b, counts in groups for c in counts.values()) / found.targets
        assert found.chance == pytest.approx(chance)


@few
@given(cases(distinct=True), st.integers(1, 3))
def test_learned_scores_are_those_of_naive_bayes(case, rounds):
    _, _, _, release, groups = case
    published = release.transactions
    for s, label in enumerate(release.sensitive_items):
        mine = release.count_item == s
        scores = learn_scores(
            published.indptr,
            published.indices,
            published.supports(),
            release.group_ptr,
            release.count_group[mine],
            release.count[mine],
            rounds,
            0.1,
        )
        expected = oracle.learned_scores(groups, label, rounds, 0.1)
        for g in release.count_group[mine]:
            assert scores[slice(*release.group_ptr[g : g + 2])] == pytest.approx(expected[g])


@few
@given(cases(distinct=True))
def test_learned_reports_its_best_setting(case):
    data, _, _, release, _ = case
    study = Study(release, data)
    found = learned(study)
    for setting in SETTINGS:
        assert hits(study, scores_of(release, *setting)) <= found.success_rate * found.targets + 1e-9
    assert 0 <= found.low <= found.success_rate <= found.high <= 1


def test_learned_allows_for_shares_limited_to_one():
    draw = random.Random(1)
    rows = [["ale", draw.choice(["rum", "tea", "wine"]), draw.choice("xyz")] for _ in range(60)]
    data = covey.Baskets.of(rows, sensitive=["rum"])
    release = covey.anonymize(data, "degree(p=2)", seed=1)
    for setting in SETTINGS:
        scores = scores_of(release, *setting)
        assert all(np.isfinite(scores(who)).all() for who in Study(release, data).suspects)


@few
@given(cases(distinct=True))
def test_strong_on_one_group_is_the_baseline(case):
    # Where the release says nothing, knowing the population achieves what it achieves without the release.
    data, _, _, release, _ = case
    made = Statement(guarantee=release.guarantee, method="anatomy")
    one = grouped(data, np.zeros(data.n, np.int64), 1, made=made, seed=0)
    found = strong(Study(one, data))
    assert found.success_rate == pytest.approx(found.baseline)


@few
@given(st.lists(st.integers(0, 3), min_size=1, max_size=8), st.data())
def test_ties_count_half_and_are_broken_at_random(scores, draw):
    held = draw.draw(st.lists(st.booleans(), min_size=len(scores), max_size=len(scores)))
    count = draw.draw(st.integers(0, len(scores)))
    found = expected_hits(np.array([0, len(scores)]), np.array(scores, float), np.array(held, float), np.array([count]))
    assert found[0] == pytest.approx(oracle.expected_hits(scores, held, count))
    ranks = [sum((b < a) + (b == a) / 2 for b in scores) / len(scores) for a in scores]
    assert ranks_within(np.array([0, len(scores)]), np.array(scores, float)) == pytest.approx(ranks)


@few
@given(cases(), st.data())
def test_posteriors_are_means_over_all_matching_members(case, draw):
    data, _, _, release, groups = case
    published = release.transactions
    r = draw.draw(st.integers(1, min(3, published.d)))
    sets = np.array([draw.draw(st.permutations(range(published.d)))[:r] for _ in range(3)], np.int32)
    item, best, own = believes(Study(release, data), sets, np.zeros(3, np.int64))
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
    found = linkage(Study(release, data), targets=50)
    assert found.details["worst_posterior"] <= found.claim
    assert found.details["worst_possible"] <= found.claim
    assert all(step["worst_posterior"] <= found.claim for step in found.details["by_known"])


@few
@given(cases(distinct=True))
def test_the_truth_of_distinct_baskets_is_exact(case):
    data, rows, hidden, release, groups = case
    truth = Study(release, data).truth
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
    truth = Study(release, data).truth
    for entry in range(len(release.count)):
        members = np.arange(*release.group_ptr[release.count_group[entry] :][:2])
        shares = truth.of(np.full(len(members), entry), members)
        assert ((shares >= 0) & (shares <= 1 + 1e-9)).all()
        # Fitting comes close, but need not arrive, where some shares must become 0 or 1.
        assert shares.sum() == pytest.approx(release.count[entry], abs=0.1)


def test_equal_members_share_the_holder_between_them():
    rows = [["a", "s"], ["a"], ["a"], ["a"], ["b"], ["b"], ["b"], ["b"]]
    data = covey.Baskets.of(rows, sensitive=["s"])
    release = covey.anonymize(data, "degree(p=4)", seed=0, merge=False)
    assert groups_of(release)[int(release.count_group[0])][0] == [{"a"}] * 4
    found = next(by_looks(Study(release, data)))
    assert found.success_rate == pytest.approx(0.25)
    assert not found.beats_claim


def test_an_attack_needs_the_right_original():
    data = covey.Baskets.of([["a", "s"], ["a"], ["b"]], sensitive=["s"])
    release = covey.anonymize(data, "degree(p=2)")
    with pytest.raises(InputError, match="not made from this original"):
        linkage(Study(release, covey.Baskets.of([["a", "s"], ["b"], ["b"]])))


def test_wilson_is_the_textbook_interval():
    # Brown, Cai, DasGupta 2001: 8 of 20 gives 0.219 to 0.613.
    assert wilson(8, 20) == pytest.approx((0.2188, 0.6134), abs=1e-4)
    assert wilson(0, 0) == (0.0, 1.0)


def test_figures_do_not_depend_on_how_many_items_are_judged_at_once(monkeypatch):
    data = cohort()
    release = covey.anonymize(data, "degree(p=5)", "anatomy", seed=0)
    together = Study(release, data)
    assert len(together.population.propensity) == 2
    monkeypatch.setattr(study_module, "AT_ONCE", data.n)
    alone = Study(release, data)
    assert all(map(np.array_equal, alone.population.propensity, together.population.propensity))
    assert alone.population.baseline == together.population.baseline


def test_a_part_of_many_rows_teaches_the_population_and_the_seed_says_which(monkeypatch):
    data = cohort()
    release = covey.anonymize(data, "degree(p=5)", "anatomy", seed=0)
    whole = Study(release, data)
    assert whole.population.baseline > 0.2
    monkeypatch.setattr(study_module, "LEARNED_FROM", 300)
    part, again, other = Study(release, data), Study(release, data), Study(release, data, seed=1)
    assert part.population.baseline == again.population.baseline
    assert all(map(np.array_equal, part.population.propensity, again.population.propensity))
    assert not any(map(np.array_equal, part.population.propensity, whole.population.propensity))
    assert not any(map(np.array_equal, part.population.propensity, other.population.propensity))
    assert part.population.baseline == pytest.approx(whole.population.baseline, abs=0.05)


def cohort():
    """People of whom some items say much about what they hold."""
    rng = np.random.default_rng(3)
    rows = []
    for _ in range(600):
        row = [f"i{j}" for j in rng.choice(20, 3, replace=False)]
        likely = {"s": 0.5 if "i0" in row else 0.02, "t": 0.4 if "i1" in row else 0.02}
        rows.append(row + [item for item, share in likely.items() if rng.random() < share])
    return covey.Baskets.of(rows, sensitive=["s", "t"])


def _visits(count):
    """Baskets of `count` persons, three each, a tenth of whom have something sensitive in one of them."""
    rows = [[f"i{n % 7}", f"j{n % 11}", *(["s"] if n % 30 == 0 else [])] for n in range(3 * count)]
    return rows, [f"p{n // 3}" for n in range(3 * count)]


def test_what_is_drawn_again_and_again_is_not_called_persons():
    rows, names = _visits(40)
    baskets = covey.Baskets.of(rows, sensitive=["s"], persons=names)
    told = run_attacks(covey.anonymize(baskets, "degree(p=2)", seed=0), baskets)[0]
    # Everybody is attacked once for each of four numbers of known items.
    assert told.targets == sum(step["targets"] for step in told.details["by_known"]) <= 4 * len(set(names))
    assert f"Of {told.targets:,} guesses" in told.explanation
    baskets = covey.Baskets.of(rows, persons=names)
    sets = run_attacks(covey.anonymize(baskets, "k-anonymity(k=2)", "pattern-ka", seed=0), baskets)
    assert all("people" not in one.explanation for one in sets)
    assert f"of {len(set(names))} persons" in sets[1].explanation


def test_who_attacks_persons_is_said_to_know_whose_baskets_are_whose():
    rows, names = _visits(40)
    by_person = covey.Baskets.of(rows, sensitive=["s"], persons=names)
    by_row = covey.Baskets.of(rows, sensitive=["s"])
    for baskets, knows in ((by_row, "Knows only the release"), (by_person, "which of its baskets are one person's")):
        found = {one.attack: one for one in run_attacks(covey.anonymize(baskets, "degree(p=2)", seed=0), baskets)}
        for name in ("pivot", "longest", "hub", "learned"):
            assert knows in found[name].explanation
        assert ("sensitive items of persons" in found["strong"].explanation) is (baskets is by_person)


def test_the_baseline_is_a_mean_over_divisions_and_tells_its_error():
    data = cohort()
    release = covey.anonymize(data, "degree(p=5)", "anatomy", seed=0)
    baselines = [Study(release, data, seed=seed).population for seed in range(6)]
    spread = np.std([one.baseline for one in baselines], ddof=1)
    assert 0 < spread < 3 * np.mean([one.baseline_error for one in baselines])
    result = run_attacks(release, data)[-1]
    assert result.baseline_error == baselines[0].baseline_error
    assert f"without the release: {baseline_of(result.baseline, result.baseline_error)};" in result.explanation


def test_of_much_data_rows_are_divided_once_if_holders_are_many(monkeypatch):
    data = cohort()
    release = covey.anonymize(data, "degree(p=5)", "anatomy", seed=0)
    monkeypatch.setattr(study_module, "FEW_ENTRIES", 0)
    monkeypatch.setattr(study_module, "GUESSED", 1)
    once = Study(release, data).population
    share = once.baseline * (1 - once.baseline) / release.count.sum()
    assert once.baseline_error == pytest.approx(share**0.5)
