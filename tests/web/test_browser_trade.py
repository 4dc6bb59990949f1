"""Trade-offs and the hand-over, in a real browser: by mouse, by keyboard, and on a phone."""

import zipfile
from urllib.parse import urlencode

import pytest

import covey
from walking import barriers, expect, follow, overlapping, profile, tab_to

READING = {
    "identifier": ["name"],
    "quasi": ["age", "postcode", "sex"],
    "other": ["illness"],
    "categorical": ["postcode"],
}
ASKED = urlencode({"guarantee": "k-anonymity(k=5)"})


@pytest.fixture
def people(service, patients):
    """The table, with roles."""
    service.datasets.configure(patients, kind="table", options=READING)
    assert service.datasets.wait(patients).state == "ready"
    return patients


def test_strengths_and_methods_fill_a_chart_whose_points_are_releases(page, service, people, browser, server, axe):
    page.goto(f"/data/{people}/method?name=k-anonymity&k=5")
    follow(page, page.locator("#to-trade"))
    expect(page.locator("#trade-state")).to_have_text("Nothing has been tried yet.")
    strengths = page.get_by_label("Values of k")
    expect(strengths).to_have_value("2, 3, 5, 10, 20, 50")
    strengths.fill("2, five")
    follow(page, page.get_by_role("button", name="Try them"))
    expect(page.get_by_role("alert")).to_contain_text("whole numbers")
    expect(strengths).to_have_value("2, five")
    strengths.fill("2, 5, 9000")
    page.get_by_label("pattern-ka").uncheck()
    page.get_by_label("mondrian").check()
    tab_to(page, "Try them")
    with page.expect_event("load"):
        page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("the largest feasible k is 300")
    # It fills by itself; what is done can be opened meanwhile.
    expect(page.locator("#trade-state")).to_contain_text("4 of 4 are measured")
    spots = page.locator("#trade-chart a[id^=spot]")
    expect(spots).to_have_count(4)
    expect(page.locator("#trade-why")).to_contain_text("Recommended: k-anonymity(k=5)")
    expect(page.locator("#trade-why")).to_contain_text("k = 5 or more")
    expect(page.locator(".trade .ring")).to_have_count(1)
    expect(page.locator("#trade-table tbody tr")).to_have_count(4)
    expect(page.get_by_label("Risk by")).to_be_visible()
    # Once all is there, the page is told to ask no more.
    assert page.request.get(f"/data/{people}/trade/found?{ASKED}").status == 286
    found = service.trades.found(people, "k-anonymity(k=5)")
    best = max((point for point in found.trade.points if point.strength >= 5), key=lambda one: one.kept[0].value)
    assert found.trade.recommended is best
    assert barriers(page, axe) == []
    assert overlapping(page, "#trade-chart a text") == []
    # Tried again, only what is missing is made.
    before = len(service.jobs.all())
    assert service.trades.start(people, "k-anonymity(k=5)", "2,5", ["mondrian", "hilbert"]) == []
    assert len(service.jobs.all()) == before
    ring = page.locator("#trade-chart a.recommended")
    ring.focus()
    with page.expect_event("load"):
        page.keyboard.press("Enter")
    expect(page.locator("#verified")).to_contain_text("k-anonymity(k=5)")
    phone = profile(browser, server.url, viewport={"width": 390, "height": 800})
    small = phone.new_page()
    small.goto(f"/data/{people}/trade?{ASKED}")
    assert small.evaluate("document.documentElement.scrollWidth") <= 390
    expect(small.locator("#trade-chart a.recommended text")).to_be_visible()
    assert overlapping(small, "#trade-chart a text") == []
    assert barriers(small, axe) == []
    phone.close()


def test_a_release_is_handed_over(page, service, people, root, tmp_path):
    job = service.jobs.wait(service.start(people, "k-anonymity(k=4)", "mondrian").id)
    page.goto(f"/jobs/{job.id}")
    with page.expect_download() as got:
        page.locator("#with-csv").click()
    got.value.save_as(tmp_path / "release.zip")
    with zipfile.ZipFile(tmp_path / "release.zip") as archive:
        names = archive.namelist()
    assert {"release/table.parquet", "release/README.md", "release-csv/table.csv", "release-csv/README.md"} <= {*names}
    verdict = covey.verify(tmp_path / "release.zip", root / "patients.csv", **READING)
    assert verdict.holds
    assert verdict.checks[-1].name == "the copy in CSV has the same content"
    with page.expect_download() as got:
        page.get_by_role("link", name="Download the report").click()
    got.value.save_as(tmp_path / "inside.html")
    inside = (tmp_path / "inside.html").read_text()
    shared = page.request.get(f"/jobs/{job.id}/report-to-share.html").text()
    assert "Approval" in inside
    assert "Approval" in shared
    assert "Internal use only" in inside
    assert "Internal use only" not in shared
