import re

import pytest

from covey.guarantees import GUARANTEES
from covey.guarantees.words import card
from covey.parameters import parameters_of
from covey.registry import promise_about
from covey.release.kinds import promise_of
from covey.verify.checkers import CHECKS

EXAMPLES = {
    "coherence": ("coherence(h=0.8, k=5, p=2)", 5),
    "degree": ("degree(p=5)", 5),
    "k-anonymity": ("k-anonymity(k=5)", 5),
    "k-eps-l": ("k-eps-l(k=5, epsilon=1, l=2)", 5),
    "k-km-anonymity": ("k-km-anonymity(k=5, m=2)", 5),
    "km-anonymity": ("km-anonymity(k=5, m=inf)", 5),
    "l-diversity": ("l-diversity(l=3, k=5)", 5),
    "label-dp": ("label-dp(epsilon=2)", None),
}


def said(promise):
    return " ".join([promise.short, *promise.meaning, *promise.limits])


@pytest.mark.parametrize("guarantee", GUARANTEES.values())
def test_every_guarantee_has_words(guarantee):
    told = card(guarantee)
    assert all((told.title, told.choose, told.knows, told.usable, told.differ))
    assert all(parameter.says and parameter.label for parameter in parameters_of(guarantee))


@pytest.mark.parametrize(("name", "release"), CHECKS)
def test_whatever_can_be_checked_can_be_said_with_its_parameters(name, release):
    text, k = EXAMPLES[name]
    promise = promise_of(text, release)
    assert promise.short
    assert promise.meaning
    words = said(promise)
    assert "  " not in words
    if k is None:
        assert promise.ceiling is None
        assert "at most e^2 = 7.39" in words
        return
    assert promise.ceiling == 1 / k
    assert f"{k - 1} others" in words or f"at least {k}" in words or f"1 member in {k}" in words


@pytest.mark.parametrize(
    ("text", "release"),
    [
        ("k-anonymity(k=2)", "table"),
        ("k-anonymity(k=2)", "sets"),
        ("l-diversity(l=2)", "table"),
        ("k-eps-l(k=2, epsilon=1)", "ratings"),
        ("km-anonymity(k=5, m=1)", "sets"),
        ("k-km-anonymity(k=5, m=1)", "records"),
        ("coherence(h=0.8, k=5, p=1)", "sets"),
    ],
)
def test_one_is_no_plural(text, release):
    assert not re.search(r"\b1 (published |public )?(others|items|labels)\b", said(promise_of(text, release)))


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
    assert promise_of("degree(p=4)", "grouped").line(known) == (0.25, "promised: 25 %", 4)
    some = (0.2, "promised: 20 % for up to 2 items", 2)
    assert promise_of("km-anonymity(k=5, m=2)", "sets").line(known) == some
    assert promise_of("km-anonymity(k=5, m=2)", "sets").line(["3", "4"]) is None
    assert promise_of("km-anonymity(k=5, m=inf)", "sets").line(known) == (0.2, "promised: 20 %", 4)
    some = (0.2, "promised: 20 % for up to 3 items", 3)
    assert promise_of("coherence(h=0.5, k=5, p=3)", "sets").line(known) == some


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
