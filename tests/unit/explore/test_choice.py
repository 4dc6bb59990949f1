"""Which point is recommended: within the limit, keeping most, attacked least."""

import pytest

from covey.explore.choice import Point, recommend, shared_measure
from covey.explore.trials import Kept, Trial, best_attack, gaining_attack


def attack(right=0.5, lift=1.0, name="grey"):
    figures = {"attack": name, "success_rate": right, "targets": 9, "lift": lift, "beats_bar": lift > 1}
    return figures | {"low": right - 0.01, "high": right + 0.01, "claim": 0.1, "baseline": 0.2}


def point(method, gain, right, *, error=0.0, lift=1.0, extra=(), share=True):
    kept = (*extra, Kept(measure="m", label="m", value=gain, error=error, share=share))
    trial = Trial(kept=kept, attacks=[attack(right, lift)])
    return Point(data="d", guarantee="degree(p=4)", method=method, strength=4, trials=[trial])


@pytest.mark.parametrize(
    ("points", "chosen"),
    [
        ([point("a", 0.8, 0.5), point("b", 0.7, 0.1)], "a"),
        ([point("a", 0.80, 0.5, error=0.05), point("b", 0.77, 0.2), point("c", 0.6, 0.1)], "b"),
        ([point("a", 0.4, 0.1, share=False), point("b", 0.1, 0.5, share=False)], "b"),
        ([point("a", 0.8, 0.5, lift=1.6), point("b", 0.5, 0.2)], "b"),
    ],
)
def test_most_is_kept_within_the_limit_or_else_attacked_least(points, chosen):
    assert recommend(points)[0].method == chosen


def test_none_is_recommended_above_the_limit_and_help_is_named():
    chosen, why = recommend([point("a", 0.8, 0.5, lift=1.6), point("b", 0.8, 0.5, lift=1.4)])
    assert chosen is None
    assert "more than 1.3 times" in why
    assert "b comes closest, with 1.40" in why
    assert "What may help" in why


def test_one_bad_seed_is_enough_to_exceed_the_limit():
    good, bad = point("a", 0.8, 0.3), point("a", 0.8, 0.5, lift=2.0)
    both = Point(data="d", guarantee="g", method="a", strength=4, trials=[*good.trials, *bad.trials])
    assert recommend([both])[0] is None
    assert both.risk == (0.4, 0.0)


def test_standard_errors_need_three_seeds():
    trials = [point("a", value, 0.1).trials[0] for value in (0.1, 0.2, 0.3)]
    made = Point(data="d", guarantee="g", method="a", strength=4, trials=trials)
    assert made.kept("m").value == pytest.approx(0.2)
    assert made.kept("m").error == pytest.approx(0.1 / 3**0.5)


def test_the_best_attack_is_right_most_often_and_another_may_gain_most():
    often, gaining = attack(0.98, 1.2, "whole"), attack(0.6, 7.5, "inference")
    assert best_attack([often, gaining])["attack"] == "whole"
    assert gaining_attack([often, gaining])["attack"] == "inference"
    assert gaining_attack([{**one, "beats_bar": False} for one in (often, gaining)]) is None
    assert best_attack([]) is None


def test_kinds_of_release_are_compared_by_what_they_share():
    own = Kept(measure="own", label="own", value=1.0)
    points = [point("a", 0.5, 0.1, extra=(own,)), point("b", 0.7, 0.1)]
    assert shared_measure(points).measure == "m"
    assert shared_measure(points[:1]).measure == "own"
    assert shared_measure([]) is None
