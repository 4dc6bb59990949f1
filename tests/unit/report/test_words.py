import pytest

from covey.guarantees import GUARANTEES
from covey.report.words import WORDS, promise_of


def test_degree_in_words():
    promise = promise_of("degree(p=4)")
    assert "1 in 4" in promise.short
    assert promise.ceiling == 0.25
    assert promise.meaning
    assert promise.limits


@pytest.mark.parametrize("name", GUARANTEES)
def test_every_guarantee_has_words(name):
    assert name in WORDS


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("k-anonymity", {"k": 5}),
        ("l-diversity", {"l": 3, "k": 5}),
        ("km-anonymity", {"k": 5, "m": 2}),
        ("km-anonymity", {"k": 5, "m": float("inf")}),
        ("coherence", {"h": 0.8, "k": 5, "p": 2}),
        ("k-eps-l", {"k": 20, "epsilon": 1, "l": 2}),
    ],
)
def test_all_words_name_their_parameters(name, values):
    promise = WORDS[name](**values)
    said = " ".join([promise.short, *promise.meaning, *promise.limits])
    assert f"{values['k'] - 1} others" in said or f"at least {values['k']}" in said
    assert 0 < promise.ceiling < 1


def test_an_unknown_guarantee_is_still_named():
    assert "magic(x=1)" in promise_of("magic(x=1)").short
