"""What is said of attacks that gain from a release: of each only what it was compared with."""

from covey.measure.attacks.result import AttackResult, gains, unpromised

WITHOUT = "more often than someone who knows the population does without the release"


def one(attack, claim, baseline, rate=0.5):
    given = {"claim": claim, "baseline": baseline, "chance": 0.0, "targets": 10_000, "explanation": ""}
    return AttackResult.of(attack, rate, **given).to_dict()


def test_each_attack_is_compared_with_what_it_has():
    found = [one("linkage", 0.2, None), one("whole", 0.2, None), one("inference", None, 0.3), one("pivot", 0.1, 0.2)]
    assert gains(found) == (
        "“Looking up what is known” and “Knowing all that is published about the target” guess right more often than "
        f"promised. “Guessing what is not known” guesses right {WITHOUT}. “Guessing whom a group was "
        f"built around” guesses right more often than promised, and {WITHOUT}."
    )
    assert unpromised(found) == ""


def test_without_claim_and_baseline_there_is_nothing_to_gain_and_the_rate_is_told():
    found = [one("linkage", None, None, 0.25), one("inference", None, 0.6)]
    assert gains(found) == ""
    assert unpromised(found) == "Nothing is promised of “Looking up what is known”, right in 25.0 % of its guesses."
