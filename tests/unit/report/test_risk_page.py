from covey.report.risk_page import risk_page


def body(**changes):
    risk = {"known": 2, "risk": 0.5, "low": 0.4, "high": 0.6, "unique": 0.25, "samples": 100, "eligible": 7}
    return {
        "kind": "baskets",
        "transactions": 1000,
        "items": 20,
        "density": 0.05,
        "length": {"mean": 3.5},
        "risk": [risk],
        "sensitive": [{"item": "a<b", "support": 4, "largest_p": 250}],
        "most_frequent": [{"item": "milk", "support": 500}],
    } | changes


def test_the_page_shows_figures_and_escapes_labels():
    page = risk_page("sales & more.csv", body())
    assert "sales &amp; more.csv" in page
    assert "a&lt;b" in page
    assert "a<b" not in page
    assert "50 %" in page
    assert "25 %" in page


def test_nobody_long_enough_and_nothing_sensitive_leave_their_sections_out():
    nobody = {"known": 1, "risk": 0, "low": 0, "high": 0, "unique": 0, "samples": 0, "eligible": 0}
    page = risk_page("x", body(risk=[nobody], sensitive=[]))
    assert "If it were published" not in page
    assert "Sensitive items" not in page
