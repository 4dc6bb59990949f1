"""The whole path by clicking: baskets, ratings and a table, from a file to a verified release and its report."""

import json
import time
import zipfile

import pytest

from covey.io import write
from covey.synth import shop
from holding import holding
from walking import expect, follow, loaded


def pick(page, name):
    """Use a file of the root and wait until it was read."""
    page.goto("/")
    page.get_by_role("button", name=f"Use {name}").click()
    loaded(page, "#state .tiles")


def to_promise(page):
    """From the file over the risk to the promise."""
    page.get_by_text("See the risk today").click()
    loaded(page, "#risk canvas")
    page.get_by_role("link", name="Choose what to promise").click()
    loaded(page, "#strength")


def make(page):
    """From the promise to a result that was measured."""
    page.get_by_role("button", name="Choose the method").click()
    page.get_by_role("button", name="Make the release").click()
    loaded(page, "#verified")
    expect(page.locator("#utility")).to_be_visible()


def expect_all_checks_to_pass(page):
    expect(page.locator(".checks li.failed")).to_have_count(0)
    expect(page.locator(".checks li.passed").nth(2)).to_be_visible()


def from_upload_to_report(page, file, folder, rows="1,000"):
    """The way of somebody who has a file and wants a release with a report; returns the downloaded archive."""
    page.goto("/")
    page.locator("#file").set_input_files(file)
    loaded(page, "#state .tiles")
    expect(page.locator("#state")).to_contain_text(rows)

    page.get_by_label("Search to mark more").fill("test")
    expect(page.locator("#found")).not_to_contain_text("the most frequent")
    page.get_by_role("button", name="pregnancy test").click()
    expect(page.get_by_role("button", name="pregnancy test: no longer sensitive").first).to_be_visible()
    to_promise(page)
    expect(page.get_by_label("One in how many")).to_have_value("10")
    make(page)
    expect_all_checks_to_pass(page)

    with page.expect_download() as download:
        page.get_by_role("link", name="Download the release").click()
    download.value.save_as(folder / "release.zip")
    assert download.value.suggested_filename == f"{file.stem}-degree-p-10.zip"
    with page.expect_popup() as report:
        page.get_by_role("link", name="Open the report in a new tab").click()
    expect(report.value.get_by_role("heading", name="What an attacker achieves")).to_be_visible()
    return folder / "release.zip"


def test_baskets_from_upload_to_report(page, root, tmp_path):
    with zipfile.ZipFile(from_upload_to_report(page, root / "sales.csv", tmp_path)) as archive:
        manifest = json.loads(archive.read("release/manifest.json"))
        assert {*manifest["files"], "manifest.json", "README.md", "datapackage.json"} == {
            name.split("/")[1] for name in archive.namelist()
        }
    assert manifest["guarantee"] == "degree(p=10)"


@pytest.mark.slow  # a clock tells as much about what else the machine does as about the page
def test_the_demonstration_itself_takes_less_than_a_minute(page, tmp_path):
    file = tmp_path / "shop.csv"
    write(shop(transactions=5_000, seed=1).baskets, file)
    start = time.monotonic()
    from_upload_to_report(page, file, tmp_path, "5,000")
    assert time.monotonic() - start < 60


def test_a_result_can_be_asked_and_browsed(page, finished):
    page.goto(finished["url"])
    ask = page.locator("#ask")
    ask.get_by_role("button", name="Ask").click()
    expect(ask).to_contain_text("For certain between")
    ask.get_by_label("together with").fill("no such thing")
    ask.get_by_role("button", name="Ask").click()
    expect(ask).to_contain_text("That cannot be answered.")

    groups = page.locator("#groups")
    expect(groups.get_by_text("Group 1", exact=True)).to_be_visible()
    groups.get_by_role("link", name="Next").click()
    groups.get_by_text("Group 9", exact=True).click()
    expect(groups.locator("details[open] li").nth(4)).to_be_visible()

    expect(page.locator("#command")).to_contain_text("--guarantee 'degree(p=5)'")
    expect(page.locator("#python")).to_contain_text("covey.publish(")


def test_ratings(page):
    pick(page, "survey.csv")
    page.get_by_role("button", name="issue 6, 300: mark as sensitive").click()
    expect(page.get_by_role("button", name="issue 6: no longer sensitive").first).to_be_visible()
    to_promise(page)
    expect(page.get_by_label("Disagreement on sensitive issues")).to_have_value("1")
    make(page)
    expect_all_checks_to_pass(page)
    expect(page.locator("#verified")).to_contain_text("k-eps-l(k=5, epsilon=1, l=1)")
    expect(page.locator("#groups")).to_contain_text("issue 6")


def test_a_table(page):
    pick(page, "patients.csv")
    roles = page.locator("#roles")
    expect(roles.get_by_label("name", exact=True)).to_have_value("identifier")
    roles.get_by_label("illness", exact=True).select_option("sensitive")
    to_promise(page)
    make(page)
    expect_all_checks_to_pass(page)
    expect(page.locator("#verified")).to_contain_text("l-diversity(l=2, k=5")
    expect(page.locator("#command")).to_contain_text("--quasi age,postcode,sex")
    expect(page.locator("#groups details")).to_have_count(8)
    guessed = page.locator("#attacks figure", has_text="who knows neither")
    expect(guessed.locator("canvas")).to_be_visible()
    expect(guessed.locator("tbody")).to_contain_text("illness")


def test_a_promise_that_needs_marks_leads_to_them(page, sales):
    page.goto(f"/data/{sales}/promise")
    follow(page, page.get_by_role("link", name="Hide people and their private items"))
    expect(page.get_by_role("alert")).to_contain_text("That cannot be promised.")
    follow(page, page.get_by_role("link", name="Mark what is sensitive"))
    page.get_by_label("Search to mark more").fill("hiv")
    page.get_by_role("button", name="home hiv test").click()
    expect(page.get_by_role("button", name="home hiv test: no longer sensitive").first).to_be_visible()
    page.goto(f"/data/{sales}/promise?name=coherence")
    page.get_by_label("Items known").fill("1")
    make(page)
    expect_all_checks_to_pass(page)
    expect(page.locator("#verified")).to_contain_text("coherence(h=0.8, k=5, p=1)")


def test_the_range_appears_while_a_number_is_typed(page, service, sales):
    service.sensitive.mark(sales, ["condoms"])
    with holding(service, reading=True):
        page.goto(f"/data/{sales}/promise")
        expect(page.locator("#ranges")).to_be_visible()
        strength = page.get_by_label("One in how many")
        strength.fill("7")
    expect(page.locator("#p-hint")).to_contain_text("This data allows 2 to")
    expect(page.locator("#ranges")).to_have_count(0)
    expect(strength).to_have_value("7")
    expect(strength).to_be_focused()
    expect(page.locator("#feedback")).to_contain_text("1 member in 7")
