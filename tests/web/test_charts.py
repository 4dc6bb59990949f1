"""What the page draws."""

from covey.web.pages.charts import attack_chart


def attack(claim):
    rates = {"success_rate": 0.3, "low": 0.2, "high": 0.4, "floor": 0.1, "lift": 1.5, "targets": 40}
    return {"attack": "known items", "claim": claim, "beats_claim": True, **rates}


def test_attacks_are_drawn_where_nothing_is_promised():
    drawn = attack_chart([attack(None), attack(None)])
    assert drawn is not None
    assert "promised" not in str(drawn)
    assert "promised: 10 %" in str(attack_chart([attack(None), attack(0.1)]))
    assert attack_chart([]) is None
