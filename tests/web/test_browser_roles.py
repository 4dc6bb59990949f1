"""Roles of a wide table, given to many columns at once: by mouse, by keyboard, on a phone."""

import pytest

from serving import given
from walking import expect, tab_to


@pytest.fixture
def wide(service):
    """A table of 120 columns, read: a name, an illness, an age, and questions."""
    names = ["name", "age", "illness", *(f"q{i}" for i in range(117))]
    rows = [[f"P{i}", 20 + i % 50, ("flu", "gout")[i % 2], *((i + j) % 4 for j in range(117))] for i in range(80)]
    text = "\n".join(",".join(map(str, row)) for row in [names, *rows])
    data = given(service, "wide.csv", text.encode(), kind="table")
    assert data.state == "ready"
    return data.id


def test_many_columns_get_their_roles_at_once(page, service, wide):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"/data/{wide}")
    roles = page.locator("#roles")
    for name, role in (("name", "identifier"), ("age", "quasi"), ("illness", "sensitive"), ("q7", "quasi")):
        expect(roles.get_by_label(name, exact=True)).to_have_value(role)
    expect(page.locator("#about-3")).to_have_text(
        "2 values: flu, gout Guess: sensitive. “illness” is usually confidential."
    )
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert roles.locator("select[name='role:q7']").bounding_box()["width"] > 250

    # By keyboard alone: find, choose, set.
    page.get_by_label("Find columns").focus()
    page.keyboard.type("Q1")
    expect(page.locator("#bulk-says")).to_have_text("28 of 120 columns shown.")
    expect(roles.get_by_label("age", exact=True)).to_be_hidden()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.type("Publish")
    tab_to(page, "Set 28")
    page.keyboard.press("Enter")
    expect(page.locator("#bulk-says")).to_contain_text("Set to “Publish as it is”.")
    expect(roles.get_by_label("q11", exact=True)).to_have_value("other")
    tab_to(page, "Undo")
    page.keyboard.press("Enter")
    expect(roles.get_by_label("q11", exact=True)).to_have_value("quasi")
    expect(page.get_by_label("Find columns")).to_be_focused()

    # By what they are, and back to the guess.
    page.get_by_label("Set all shown to").select_option("other")
    page.get_by_role("button", name="Set 28").click()
    page.get_by_label("Find columns").fill("")
    page.locator("#bulk-role").select_option("identifier")
    expect(page.locator("#bulk-says")).to_have_text("1 of 120 columns shown.")
    page.get_by_label("Set all shown to").select_option("other")
    page.get_by_role("button", name="Set 1").click()
    expect(roles.get_by_label("name", exact=True)).to_have_value("other")
    page.get_by_label("Set all shown to").select_option("guess")
    page.get_by_role("button", name="Set 1").click()
    expect(roles.get_by_label("name", exact=True)).to_have_value("identifier")
    page.get_by_role("button", name="See the risk today").click()
    page.wait_for_url("**/risk")
    given = service.datasets.wait(wide)
    assert (given.sensitive, given.options["identifier"], len(given.options["other"])) == (["illness"], ["name"], 28)
    assert len(given.options["quasi"]) == 90
