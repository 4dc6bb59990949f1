"""The whole way in a real browser, by clicking on a desk and by keyboard on a phone, without barriers."""

import json
import re
import zipfile

import pytest

from walking import barriers, expect, loaded, profile, tab_to

#: Name, file, what to do on the second step, the promise that is then recommended, its name in the manifest.
FLOWS = {
    "baskets by person": ("visits.csv", "persons", "k-anonymity"),
    "table": ("patients.csv", "roles", "l-diversity"),
    "ratings": ("survey.csv", "issue 6", "k-eps-l"),
    "sets with a taxonomy": ("sales.csv", "taxonomy", "km-anonymity"),
    "records": ("people.parquet", "records", "k-km-anonymity"),
}
#: What runs in `make test`; the others run in `make test-slow`.
OFTEN = (("table", False), ("sets with a taxonomy", True))


@pytest.fixture
def opened(browser, server):
    """Open a page of a size; a script error or something that the page's own policy forbids fails the test."""
    contexts, troubles = [], []

    def open_page(width, **options):
        context = profile(browser, server.url, viewport={"width": width, "height": 844}, **options)
        context.on("weberror", lambda error: troubles.append(str(error.error)))
        context.on("console", lambda one: troubles.append(one.text) if "Content Security" in one.text else None)
        contexts.append(context)
        return context.new_page()

    yield open_page
    for context in contexts:
        context.close()
    assert troubles == []


class Hand:
    """Presses things by the mouse, or by the keyboard alone."""

    def __init__(self, page, keyboard):
        self.page, self.keyboard = page, keyboard

    def press(self, name, role="button"):
        if self.keyboard:
            tab_to(self.page, name)
            self.page.keyboard.press("Enter")
        else:
            self.page.get_by_role(role, name=name, exact=True).first.click()

    def choose(self, label, value):
        field = self.page.get_by_label(label, exact=True)
        field.focus()
        field.select_option(value)


def describe(page, hand, root, what):
    """Say on the second step what the file is."""
    if what == "persons":
        hand.press("Protect persons, by “customer”")
        expect(page.locator("#persons")).to_have_count(0)
    elif what == "roles":
        hand.choose("illness", "sensitive")
    elif what == "taxonomy":
        page.locator("#taxonomy").get_by_text("Add a taxonomy").click()
        page.locator("#taxonomy-file").set_input_files(root / "sales.taxonomy.csv")
        hand.press("Add it")
        expect(page.locator("#taxonomy")).to_contain_text("In use")
    elif what == "records":
        page.get_by_text("Not right? Say how to read it").click()
        page.get_by_label("Records").check()
        hand.press("Read it again")
        expect(page.locator("#read-unmatched")).to_have_count(1)
        if page.locator("details:has(#read-item)").get_attribute("open") is None:
            page.get_by_text("Not right? Say how to read it").click()
        hand.choose("Column with the item", "bought")
        hand.choose("Column that names the person", "customer")
        hand.press("Read it again")
    else:
        hand.press(f"{what}, 300: mark as sensitive")
        expect(page.get_by_role("button", name=f"{what}: no longer sensitive").first).to_be_visible()
    loaded(page, "#state .tiles")


@pytest.mark.parametrize(
    ("flow", "keyboard"),
    [
        pytest.param(
            flow,
            keyboard,
            id=f"{flow}-{'390 by keyboard' if keyboard else '1280 by mouse'}",
            marks=() if (flow, keyboard) in OFTEN else pytest.mark.slow,
        )
        for flow in FLOWS
        for keyboard in (False, True)
    ],
)
def test_flow_from_file_to_release(opened, root, axe, tmp_path, flow, keyboard):
    file, what, promise = FLOWS[flow]
    width = 390 if keyboard else 1280
    page = opened(width, bypass_csp=True)  # for axe, which the page's own policy forbids
    hand = Hand(page, keyboard)
    found = {}

    def look(step):
        page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true")
        found[step] = barriers(page, axe)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, step

    page.goto("/")
    hand.press(f"Use {file}")
    loaded(page, "#state .tiles, #state .note.warn")
    describe(page, hand, root, what)
    look("data")
    hand.press("See the risk today", role="button" if what in ("roles", "records") else "link")
    loaded(page, "#risk svg")
    look("risk")
    hand.press("Choose what to promise", role="link")
    loaded(page, "#strength")
    if what == "taxonomy":
        page.goto(f"{page.url}?name=km-anonymity&k=3&m=2")
    expect(page.locator("#ranges")).to_have_count(0)
    look("promise")
    hand.press("Choose the method")
    loaded(page, "#options")
    look("method")
    hand.press("Make the release")
    loaded(page, "#verified")
    expect(page.locator("#attacks svg, #attacks p:has-text('no attack')").first).to_be_visible()
    expect(page.locator("#verified")).to_contain_text(promise)
    expect(page.locator("#report a").first).to_be_visible()
    look("result")
    with page.expect_download() as download:
        hand.press("Download the release (zip)", role="link")
    download.value.save_as(tmp_path / "release.zip")
    with zipfile.ZipFile(tmp_path / "release.zip") as archive:
        manifest = json.loads(archive.read("release/manifest.json"))
    assert manifest["guarantee"].startswith(promise)
    for tab in ("Attacks in detail", "Usefulness", "Look inside", "Repeat"):
        hand.press(tab, role="link")
        expect(page.locator("#tabs a[aria-current]")).to_have_text(tab)
        look(tab)
    assert {step: one for step, one in found.items() if one} == {}


def test_questions_and_groups_without_leaving_the_page(opened, made):
    page = opened(1280)
    page.goto(f"/jobs/{made.id}?tab=inside")
    ask = page.locator("#ask")
    ask.get_by_role("button", name="Ask").click()
    expect(ask).to_contain_text("For certain between")
    groups = page.locator("#groups")
    groups.get_by_role("link", name="Next").click()
    expect(groups.get_by_text("Group 9", exact=True)).to_be_visible()
    expect(page).to_have_url(re.compile("tab=inside&page=2"))


def test_number_is_checked_while_it_is_typed(opened, made):
    page = opened(1280)
    page.goto(f"/data/{made.dataset}/promise?name=degree")
    expect(page.locator("#ranges")).to_have_count(0)
    page.get_by_label("One in how many").fill("100000")
    expect(page.locator("#refusal")).to_contain_text("the largest feasible p is")
    page.locator("#refusal a").click()
    expect(page.locator("#feedback")).to_contain_text("In every group")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "path", ["/", "/jobs", "/jobs/{id}", "/jobs/{id}/remove", "/data/{dataset}/explore?guarantee=degree(p%3D5)"]
)
def test_pages_have_no_barriers_in_light_and_dark(opened, made, axe, path, scheme):
    page = opened(1280, bypass_csp=True, color_scheme=scheme)
    page.goto(path.format(id=made.id, dataset=made.dataset))
    assert barriers(page, axe) == []


def test_steps_work_without_scripts(opened, made):
    page = opened(1280, java_script_enabled=False)
    page.goto(f"/data/{made.dataset}?search=wine")
    expect(page.get_by_role("button", name="red wine")).to_be_visible()
    page.goto(f"/data/{made.dataset}/promise?name=degree&p=4")
    page.get_by_role("button", name="Choose the method").click()
    expect(page.locator("main")).to_contain_text("degree(p=4)")
    page.goto(f"/jobs/{made.id}?tab=inside")
    page.locator("#ask").get_by_role("button", name="Ask").click()
    expect(page.locator("#answer")).to_contain_text("For certain between")
