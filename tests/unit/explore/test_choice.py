"""Which point is recommended: within the limit, keeping most, attacked least."""

import pytest

from covey.explore import choice
from covey.explore.choice import point_of, shared_measure
from covey.explore.trials import Kept, Trial, best_attack, gaining_attack


def attack(right=0.5, lift=1.0, name="grey"):
    figures = {"attack": name, "success_rate": right, "targets": 9, "lift": lift, "beats_bar": lift > 1}
    return figures | {"low": right - 0.01, "high": right + 0.01, "claim": 0.1, "baseline": 0.2}


def trial(gain, right, *, error=0.0, lift=1.0, extra=(), share=True):
    kept = (*extra, Kept(measure="m", label="m", value=gain, error=error, share=share))
    return Trial(kept=kept, attacks=[attack(right, lift)])


def recommend(trials):
    """What is recommended of methods with one or several trials."""
    lists = {method: given if isinstance(given, list) else [given] for method, given in trials.items()}
    measure = shared_measure(one for given in lists.values() for one in given)
    points = [point_of(given, measure, guarantee="degree(p=4)", method=method) for method, given in lists.items()]
    return choice.recommend(points, measure)


@pytest.mark.parametrize(
    ("trials", "chosen"),
    [
        ({"a": trial(0.8, 0.5), "b": trial(0.7, 0.1)}, "a"),
        ({"a": trial(0.80, 0.5, error=0.05), "b": trial(0.77, 0.2), "c": trial(0.6, 0.1)}, "b"),
        ({"a": trial(0.4, 0.1, share=False), "b": trial(0.1, 0.5, share=False)}, "b"),
        ({"a": trial(0.8, 0.5, lift=1.6), "b": trial(0.5, 0.2)}, "b"),
    ],
)
def test_most_is_kept_within_the_limit_or_else_attacked_least(trials, chosen):
    assert recommend(trials)[0]["method"] == chosen


def test_none_is_recommended_above_the_limit_and_help_is_named():
    chosen, why = recommend({"a": trial(0.8, 0.5, lift=1.6), "b": trial(0.8, 0.5, lift=1.4)})
    assert chosen is None
    assert "more than 1.3 times" in why
    assert "b comes closest, with 1.40" in why
    assert "What may help" in why


def test_one_bad_seed_is_enough_to_exceed_the_limit():
    good, bad = trial(0.8, 0.3), trial(0.8, 0.5, lift=2.0)
    assert recommend({"a": [good, bad]})[0] is None
    point = point_of([good, bad], good.kept[0])
    assert (point["risk"], point["risk_error"]) == (0.4, 0.0)


def test_standard_errors_need_three_seeds():
    trials = [trial(value, 0.1) for value in (0.1, 0.2, 0.3)]
    made = point_of(trials, trials[0].kept[0])
    assert made["kept"] == pytest.approx(0.2)
    assert made["kept_error"] == pytest.approx(0.1 / 3**0.5)


def test_the_best_attack_is_right_most_often_and_another_may_gain_most():
    often, gaining = attack(0.98, 1.2, "whole"), attack(0.6, 7.5, "inference")
    assert best_attack([often, gaining])["attack"] == "whole"
    assert gaining_attack([often, gaining])["attack"] == "inference"
    assert gaining_attack([{**one, "beats_bar": False} for one in (often, gaining)]) is None
    assert best_attack([]) is None


def test_kinds_of_release_are_compared_by_what_they_share():
    own = Kept(measure="own", label="own", value=1.0)
    trials = [trial(0.5, 0.1, extra=(own,)), trial(0.7, 0.1)]
    assert shared_measure(trials).measure == "m"
    assert shared_measure(trials[:1]).measure == "own"
    assert shared_measure([]) is None
