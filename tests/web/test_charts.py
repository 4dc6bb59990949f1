"""What the page draws."""

import pytest

from covey.measure.attacks.result import AttackResult
from covey.web.pages.charts import attack_chart
from covey.web.pages.views.result import attack_tag


def attack(claim):
    rates = {"success_rate": 0.3, "low": 0.2, "high": 0.4, "baseline": 0.1, "lift": 1.5, "targets": 40}
    return {"attack": "known items", "claim": claim, "beats_claim": True, **rates}


def test_attacks_are_drawn_where_nothing_is_promised():
    drawn = attack_chart([attack(None), attack(None)])
    assert drawn is not None
    assert "promised" not in str(drawn)
    assert "promised: 10 %" in str(attack_chart([attack(None), attack(0.1)]))
    assert attack_chart([]) is None


def found(rate, claim, baseline, targets=100):
    given = {"claim": claim, "baseline": baseline, "chance": 0.0, "targets": targets, "explanation": ""}
    return AttackResult.of("pivot", rate, **given).to_dict()


@pytest.mark.parametrize(
    ("one", "baseline", "lift"),
    [
        (found(0.0, 0.5, 0.0), "0 %", "0.00"),
        (found(0.0, 0.5, None), "", "0.00"),
        (found(0.2, None, None), "", ""),
        (found(0.2, None, 0.0), "0 %", ""),  # of nothing, nothing is a multiple
    ],
)
def test_only_what_was_not_measured_is_blank(one, baseline, lift):
    drawn = attack_chart([one])
    shown = dict(zip(drawn.head, drawn.rows[0], strict=True))
    assert (shown["without the release"], shown["lift"]) == (baseline, lift)


def test_a_rate_above_the_promise_is_not_called_within_it():
    assert attack_tag(found(0.52, 0.5, 0.1)) == ("good", "not measurably above the promise")
    assert attack_tag(found(0.52, None, 0.5)) == ("good", "not measurably above what is possible without the release")
    assert attack_tag(found(0.5, 0.5, 0.1)) == ("good", "within the promise")
    assert attack_tag(found(0.52, 0.5, 0.1, targets=100_000)) == ("warn", "above the promise")
    beaten = found(0.149, 0.1, 0.127, targets=500)
    assert attack_tag(beaten) == ("warn", "above the promise, but not measurably more than without the release")
