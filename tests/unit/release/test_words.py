import re

import pytest

from covey.guarantees import GUARANTEES
from covey.release.words import WORDS, promise_of
from covey.report.promises import ceiling_line, promise_about
from covey.verify.checkers import CHECKS

EXAMPLES = {
    "coherence": ("coherence(h=0.8, k=5, p=2)", 5),
    "degree": ("degree(p=5)", 5),
    "k-anonymity": ("k-anonymity(k=5)", 5),
    "k-eps-l": ("k-eps-l(k=5, epsilon=1, l=2)", 5),
    "k-km-anonymity": ("k-km-anonymity(k=5, m=2)", 5),
    "km-anonymity": ("km-anonymity(k=5, m=inf)", 5),
    "l-diversity": ("l-diversity(l=3, k=5)", 5),
}


def said(promise):
    return " ".join([promise.short, *promise.meaning, *promise.limits])


def test_every_guarantee_has_words():
    assert sorted(WORDS) == sorted(GUARANTEES)


@pytest.mark.parametrize(("name", "release"), CHECKS)
def test_whatever_can_be_checked_can_be_said_with_its_parameters(name, release):
    text, k = EXAMPLES[name]
    promise = promise_of(text, release)
    assert promise.short
    assert promise.meaning
    assert promise.ceiling == 1 / k
    words = said(promise)
    assert f"{k - 1} others" in words or f"at least {k}" in words or f"1 member in {k}" in words
    assert "  " not in words


def test_members_are_counted_and_can_be_found_under_degree():
    promise = promise_of("degree(p=4)", "grouped")
    assert promise.short == "In every group, at most 1 member in 4 has any given sensitive item."
    assert any("People can still be found" in limit for limit in promise.limits)
    assert any(limit.startswith("It counts baskets") for limit in promise.limits)


def test_words_say_what_is_published_unprotected():
    table, sets = (promise_of("k-anonymity(5)", release) for release in ("table", "sets"))
    assert any("published unchanged" in limit for limit in table.limits)
    assert not any("published unchanged" in limit for limit in sets.limits)
    assert "quasi-identifiers as at least 4 others" in table.short
    assert "identical to at least 4 others" in sets.short


def test_km_anonymity_speaks_of_what_it_counts():
    text = "km-anonymity(k=5, m=2)"
    assert promise_of(text, "sets").short.startswith("Someone who knows up to 2 published items of a basket finds")
    assert "items of a person finds at least 5 persons" in promise_of(text, "sets", by_person=True).short


def test_a_spread_says_how_missing_ratings_count():
    below = "where a missing rating counts as one step below the scale (0 on a scale from 1)."
    zero, omit = (promise_of(f"k-eps-l(k=10, epsilon=1, l=3{more})", "ratings") for more in ("", ", nulls=omit"))
    assert zero.meaning[0].endswith(f"a standard deviation of at least 3, {below}")
    assert omit.meaning[0].endswith("a standard deviation of at least 3.")
    assert "disagree" not in zero.short  # most of them may agree


@pytest.mark.parametrize(
    ("text", "release", "words"),
    [
        ("k-anonymity(k=2)", "table", "as at least 1 other."),
        ("k-anonymity(k=2)", "sets", "identical to at least 1 other."),
        ("l-diversity(l=2)", "table", "like at least 1 other, which differs"),
        ("k-eps-l(k=2, epsilon=1)", "ratings", "those of at least 1 other."),
        ("k-eps-l(k=2, epsilon=1)", "ratings", "at least 1 other rates the"),
    ],
)
def test_one_other_is_one(text, release, words):
    told = said(promise_of(text, release))
    assert words in told
    assert "1 others" not in told


def test_before_anything_is_published_the_kind_of_data_decides():
    for text, data, release in (
        ("k-anonymity(5)", "table", "table"),
        ("k-anonymity(5)", "baskets", "sets"),
        ("degree(p=3)", "baskets", "grouped"),
    ):
        assert promise_about(text, data) == promise_of(text, release)
    assert promise_about("degree(p=3)", "table").meaning == ()


def test_what_is_unknown_is_still_named():
    assert "magic(x=1)" in promise_of("magic(x=1)", "grouped").short
    assert "degree(p=3)" in promise_of("degree(p=3)", "nothing we know").short


def test_a_limit_on_what_is_known_is_said_in_charts_and_ends_the_line():
    known = ["1", "2", "3", "4"]
    assert ceiling_line(promise_of("degree(p=4)", "grouped"), known) == (0.25, "promised: 25 %", 4)
    some = (0.2, "promised: 20 % for up to 2 items", 2)
    assert ceiling_line(promise_of("km-anonymity(k=5, m=2)", "sets"), known) == some
    assert ceiling_line(promise_of("km-anonymity(k=5, m=2)", "sets"), ["3", "4"]) is None
    assert ceiling_line(promise_of("km-anonymity(k=5, m=inf)", "sets"), known) == (0.2, "promised: 20 %", 4)
    some = (0.2, "promised: 20 % for up to 3 items", 3)
    assert ceiling_line(promise_of("coherence(h=0.5, k=5, p=3)", "sets"), known) == some


def test_one_item_is_no_items():
    for text, kind in (
        ("km-anonymity(k=5, m=1)", "sets"),
        ("k-km-anonymity(k=5, m=1)", "records"),
        ("coherence(h=0.8, k=5, p=1)", "sets"),
    ):
        words = promise_of(text, kind)
        said = " ".join((words.short, *words.meaning, *words.limits))
        assert not re.search(r"\b1 (published |public )?(items|labels)\b", said)
        assert re.search(r"up to 1 (published |public )item\b", said)


def test_respondents_are_persons():
    limits = promise_of("k-eps-l(k=3, epsilon=1, l=2)", "ratings").limits
    assert not any("is counted several times" in limit for limit in limits)
    assert all(limits)


def test_no_spread_is_promised_by_a_spread_of_nothing():
    text = "k-eps-l(k=10, epsilon=1, l=0)"
    shown, written = promise_of(text, "ratings"), promise_of(text, "ratings", literal=True)
    assert shown == promise_of("k-eps-l(k=10, epsilon=1)", "ratings")
    assert "alike" not in shown.short
    assert written.short.endswith("and they do not all rate what is sensitive alike.")  # as releases have it


@pytest.mark.parametrize(("name", "release"), [pair for pair in CHECKS if pair[1] not in ("records", "ratings")])
def test_nothing_is_promised_about_persons_where_rows_are_counted(name, release):
    """Of rows it is not known whose they are: all that look alike may be one person's."""
    text, _ = EXAMPLES[name]
    promise = promise_of(text, release)
    claimed = f"{promise.short} {' '.join(promise.meaning)}"
    assert not re.search(r"\b(persons?|nobody is|people)\b", claimed), claimed
    assert promise.counts == promise.limits[-1]
    assert promise.counts.endswith("is counted several times, so nothing is promised about that person.")
    named = promise_of(text, release, by_person=True)
    assert named.counts.startswith("It counts persons")
