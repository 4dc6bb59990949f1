"""Attacks on sets, tables and ratings: every kind has some, and they count what they say."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import covey
from covey.data.postings import postings
from covey.errors import InputError
from covey.measure.attacks import ATTACKS, run_attacks
from covey.measure.attacks.lookups import Rows
from covey.release.kinds import RELEASE_KINDS
from covey.synth import survey
from releases import few

pytestmark = pytest.mark.kernel


def attack(release, data):
    """The results by name."""
    return {one.attack: one for one in run_attacks(release, data)}


def people(n=120, seed=0):
    rng = np.random.default_rng(seed)
    age = rng.integers(20, 60, n)
    ill = np.where(rng.random(n) < (age - 20) / 40, "gout", "flu")
    return covey.Table.of(
        {"age": age.tolist(), "sex": rng.choice(["f", "m"], n).tolist(), "ill": ill.tolist()},
        sensitive=["ill"],
    )


def originals():
    rng = np.random.default_rng(0)
    rows = [{f"i{j}" for j in rng.integers(0, 12, 4)} for _ in range(200)]
    marked = [row | {"s"} if i % 20 == 0 else row for i, row in enumerate(rows)]
    yield "grouped", covey.Baskets.of(marked, sensitive=["s"]), "degree(p=5)"
    yield "model", covey.Baskets.of(marked, sensitive=["s"]), "label-dp(epsilon=1)"
    yield "sets", covey.Baskets.of(rows), "k-anonymity(k=3)"
    yield "chunks", covey.Baskets.of(rows), "km-anonymity(k=3, m=2)"
    yield "table", people(), "k-anonymity(k=3)"
    yield (
        "records",
        covey.Records(people(200).with_sensitive([]), covey.Baskets.of(rows)),
        "k-km-anonymity(k=3, m=2)",
    )
    yield "ratings", survey(respondents=150, issues=6, profiles=4, seed=1), "k-eps-l(k=3, epsilon=1)"


@pytest.mark.filterwarnings("ignore:overflow encountered in scalar:RuntimeWarning")  # random bits wrap, without JIT too
@pytest.mark.parametrize("kind", RELEASE_KINDS)
def test_every_kind_can_be_attacked(kind):
    _, data, guarantee = next(one for one in originals() if one[0] == kind)
    release = covey.anonymize(data, guarantee, seed=None if kind == "model" else 0)  # noise takes no seed
    assert release.kind == kind
    results = run_attacks(release, data, seed=1)
    assert [result.attack for result in results] == list(ATTACKS[kind])
    for result in results:
        assert 0 <= result.low <= result.success_rate <= result.high <= 1
        assert result.explanation
    unmarked = data.with_sensitive([]) if kind == "grouped" else data  # the release says what is sensitive
    assert [r.to_dict() for r in run_attacks(release, unmarked, seed=1)] == [r.to_dict() for r in results]
    if kind in ("grouped", "records"):
        assert {result.claim for result in results} == {0.2 if kind == "grouped" else None}


@few
@given(st.lists(st.tuples(st.sampled_from("xyz"), st.sets(st.sampled_from("abc"))), min_size=8, max_size=16))
def test_whole_finds_a_person_among_those_with_the_same_attributes_and_items(rows):
    data = covey.Records.of({"place": [place for place, _ in rows]}, [items for _, items in rows])
    if sum(bool(items) for _, items in rows) < 2:
        return
    release = covey.anonymize(data, "k-km-anonymity(k=2, m=1)", seed=0)
    column, sets = release.attributes.columns[0], release.baskets
    published = [(column.codes[i], tuple(sets.basket(i))) for i in range(release.n)]
    often = Counter(published)
    result = attack(release, data)["whole"]
    assert result.success_rate == pytest.approx(len(often) / release.n)
    assert result.details["unique"] == sum(often[one] == 1 for one in published) / release.n


@few
@given(st.lists(st.sets(st.sampled_from("abcd"), max_size=3), min_size=1, max_size=12))
def test_whole_finds_a_basket_among_its_like(rows):
    data = covey.Baskets.of(rows)
    published = Rows.of(data)
    often = Counter(map(frozenset, rows))
    assert published.alike().tolist() == [often[frozenset(row)] for row in rows]


@few
@given(st.lists(st.sets(st.sampled_from("abcd"), min_size=1, max_size=3), min_size=1, max_size=12))
def test_hidden_labels_are_guessed_by_those_with_the_others(rows):
    data = covey.Baskets.of(rows)
    published = Rows.of(data)
    every = np.ones(data.d, np.bool_)
    found = published.guesses(every, every, np.zeros(data.d, np.int32), np.random.default_rng(0), published, 2_000)

    def guess(known, others):
        matching = [row - known for row in others if known <= row]
        for held in (matching, [row - known for row in rows]):
            often = Counter(label for row in held for label in row)
            if often:
                return min(often, key=lambda label: (-often[label], label))
        return None

    right = without = targets = 0
    for i, row in enumerate(rows):
        for label in row if len(row) > 1 else ():
            targets += 1
            right += guess(row - {label}, rows) == label
            without += guess(row - {label}, rows[:i] + rows[i + 1 :]) == label
    assert found == (right, without, targets)


def test_chunks_hide_a_person_among_all_who_may_hold_what_is_known():
    rows = [{"a", "b"}] * 4 + [{"a", "c"}] * 4 + [{"d"}] * 4
    data = covey.Baskets.of(rows)
    release = covey.anonymize(data, "km-anonymity(k=4, m=2)", "disassociation", seed=0)
    found = attack(release, data)["whole"]
    assert found.targets == 12
    assert found.success_rate == pytest.approx(1 / 4)
    assert attack(release, data)["linkage"].targets == 0
    three = covey.Baskets.of([{"a", "b", "c"}] * 5)
    known = attack(covey.anonymize(three, "km-anonymity(k=2, m=2)", "disassociation", seed=0), three)["linkage"]
    assert known.success_rate == pytest.approx(1 / 5)
    assert known.details["by_known"][1]["risk"] == 0


def test_a_table_is_attacked_by_its_classes():
    table = people()
    release = covey.anonymize(table, "k-anonymity(k=4)", "mondrian", seed=0)
    classes = release.classes()
    found = attack(release, table)["linkage"]
    assert found.success_rate == pytest.approx((int(classes.max()) + 1) / table.n)
    assert found.details["worst"] <= found.claim == 0.25
    values = Counter(zip(classes.tolist(), release.column("ill").codes.tolist(), strict=True))
    best = {c: max(n for (d, _), n in values.items() if d == c) for c in set(classes.tolist())}
    guessed = attack(release, table)["inference"]
    assert guessed.success_rate == pytest.approx(sum(best.values()) / table.n)
    # Who knows the population guesses better than blindly: older people have gout.
    assert guessed.baseline > guessed.chance


def test_l_diversity_by_frequency_claims_something_of_values():
    table = covey.Table.of({"age": list(range(12)), "ill": ["flu", "gout", "none"] * 4}, sensitive=["ill"])
    found = {
        kind: attack(covey.anonymize(table, f"l-diversity(l=2, k=2, kind={kind})", "mondrian", seed=0), table)[
            "inference"
        ]
        for kind in ("distinct", "frequency")
    }
    assert (found["distinct"].claim, found["frequency"].claim) == (None, 0.5)
    assert "Nothing is claimed of this" in found["distinct"].explanation
    assert found["distinct"].baseline >= found["distinct"].chance  # who names the most frequent value needs no release


def test_another_table_is_refused():
    release = covey.anonymize(people(), "k-anonymity(k=4)", "mondrian", seed=0)
    with pytest.raises(InputError, match="the original has 60 rows"):
        attack(release, people(60))


@pytest.mark.parametrize(
    ("guarantee", "method", "claimed"),
    [
        ("k-anonymity(k=3)", None, {"linkage": 1 / 3, "whole": 1 / 3, "inference": None}),
        ("km-anonymity(k=3, m=2)", "mhghs", {"linkage": None, "whole": None, "inference": None}),
        ("km-anonymity(k=3, m=2)", "disassociation", {"linkage": None, "whole": None, "inference": None}),
    ],
)
def test_nothing_is_claimed_of_someone_who_knows_more_than_the_promise_covers(guarantee, method, claimed):
    _, data, _ = next(one for one in originals() if one[0] == "sets")
    pairs = [(f"i{j}", f"g{j % 4}") for j in range(12)] + [(f"g{j}", "*") for j in range(4)]
    tree = {"taxonomy": covey.Taxonomy.from_pairs(pairs)} if method == "mhghs" else {}
    found = run_attacks(covey.anonymize(data, guarantee, method, seed=0, **tree), data)
    assert {one.attack: one.claim for one in found} == claimed
    assert {one.attack for one in found if one.baseline is not None} == {"inference"}
    for one in found:
        if one.claim is None and one.baseline is None:
            assert (one.beats_claim, one.beats_bar, one.lift) == (False, False, 0)
            assert "of more, nothing" in one.explanation or "Nothing is claimed of this." in one.explanation


def visits():
    """Six persons with one to three rows each."""
    often = [3, 1, 2, 1, 3, 1]
    who = [i for i, times in enumerate(often) for _ in range(times)]
    columns = {"age": [20 + i for i in who], "ill": ["flu" if i % 2 else "gout" for i in who]}
    return covey.Table.of(columns, sensitive=["ill"], persons=[f"p{i}" for i in who])


def test_where_persons_are_counted_persons_are_looked_for():
    data = visits()
    release = covey.anonymize(data, "k-anonymity(k=3)", "mondrian", seed=0)
    classes = len(release.class_persons)
    found = attack(release, data)["linkage"]
    assert (found.targets, found.chance) == (6, 1 / 6)
    assert found.success_rate == pytest.approx(classes / 6)
    assert found.details["worst"] == 1 / min(release.class_persons) <= found.claim
    assert "picks one of the persons" in found.explanation
    assert "of 6 persons" in found.explanation


def test_ratings_of_few_are_looked_for_once_each_and_the_text_says_how_many_they_are():
    rows = [[1, 2, 3, 4, 5, None]] * 3 + [[2, None, None, None, None, 1]] * 60
    survey = covey.Ratings.of(rows, issues=list("abcdef"), scale="1:5")
    release = covey.anonymize(survey, "k-eps-l(k=3, epsilon=1)", seed=0)
    result = next(one for one in run_attacks(release, survey) if one.attack == "linkage")
    steps = {step["known"]: step for step in result.details["by_known"]}
    assert steps[2]["targets"] == steps[2]["eligible"] == 63
    assert steps[4]["targets"] == 3
    assert result.targets == 3  # not 2,000 guesses at three people
    assert result.high - result.low > 0.4
    assert "of the 3 respondents with 4 or more" in result.explanation


def test_a_survey_without_ordinary_ratings():
    survey = covey.Ratings.of([[1, 2], [1, 5], [6, 3]], issues=["x", "y"], scale="1:6", sensitive=["y"])
    release = covey.anonymize(survey, "k-eps-l(k=2, epsilon=1, l=1)", seed=0)
    assert not release.ratings.only(~release.ratings.sensitive).entries
    result = attack(release, survey)["linkage"]
    assert result.success_rate == pytest.approx(1 / 3)
    assert result.details["by_known"] == [{"known": 0, "risk": 1 / 3, "unique": 0.0, "targets": 3, "eligible": 3}]


def test_sets_of_nothing_are_not_looked_up():
    with pytest.raises(ValueError, match="no items"):
        postings(covey.Baskets.of([["a"], ["b"]])).containing(np.empty((3, 0), np.int32))
