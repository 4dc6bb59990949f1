"""Pages that change while somebody uses them: focus, typing, what was opened and what is looked at stay."""

import re

import pytest

from covey.web.server.problems import TaskError
from holding import holding, unmeasured
from walking import expect, follow, loaded, tab_to


def remember(page, selector):
    """Keep an element, to see later whether it is still the same one; forgotten when the page is loaded anew."""
    page.locator(selector).evaluate("it => { window.remembered = it; }")


def is_remembered(page, selector):
    return page.locator(selector).evaluate("it => it === window.remembered")


def top_of(locator):
    return locator.evaluate("it => it.getBoundingClientRect().top")


@pytest.fixture
def measuring(page, service, finished, monkeypatch):
    """The page of a release that is being measured, for as long as the yielded function is not called."""
    with unmeasured(monkeypatch) as measure:
        page.goto(f"/jobs/{service.start(finished['dataset'], 'degree(p=5)', seed=1).id}/run")
        loaded(page, "#verified")
        expect(page.locator("#measuring")).to_have_text("Measuring")
        yield measure


def test_a_question_is_typed_while_measuring_ends(page, measuring):
    page.get_by_text("What it means, and what it does not promise").click()
    page.locator("#groups summary").nth(2).click()
    box = page.get_by_label("together with")
    box.press_sequentially("folic")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    remember(page, "#ask-present")
    before = top_of(box)
    expect(page.locator("#report")).to_contain_text("being written")

    measuring()
    expect(page.locator("#utility")).to_be_visible()
    expect(page.get_by_role("link", name="Open the report in a new tab")).to_be_visible()
    expect(page.locator("#attack-chart")).to_be_visible()
    assert is_remembered(page, "#ask-present")
    assert abs(top_of(box) - before) < 2
    expect(box).to_be_focused()
    page.keyboard.type(" ac")
    expect(box).to_have_value("fol acic")
    expect(page.locator("#proof details")).to_have_attribute("open", "")
    expect(page.locator("#groups details").nth(2)).to_have_attribute("open", "")

    box.fill("folic acid")
    page.keyboard.press("Enter")
    expect(page.locator("#answer")).to_contain_text("For certain between")


@pytest.mark.slow
def test_what_is_read_stays_in_place_while_measuring_ends(page, measuring):
    top = page.context.new_page()  # of somebody who looks at the beginning
    top.goto(page.url)
    expect(top.locator("#measuring")).to_have_text("Measuring")
    third = page.locator("#groups summary").nth(2)
    third.evaluate("it => scrollTo(0, it.getBoundingClientRect().top + scrollY - innerHeight / 2 - 10)")
    before = top_of(third)
    measuring()
    expect(page.locator("#utility")).to_be_visible()
    assert abs(top_of(third) - before) < 2
    expect(top.locator("#utility")).to_be_visible()
    assert top.evaluate("scrollY") == 0
    expect(top.locator("#age")).to_contain_text("just now")


def test_work_that_fails_while_measuring_is_told(page, service, measuring):
    entry = service.jobs.entry(page.url.split("/")[-1])
    service.jobs.failed(entry, TaskError("The process ended.", cause="Crash"))
    expect(page.get_by_role("heading", name="Not measured")).to_be_visible()
    expect(page.locator("#measured")).to_contain_text("The process ended.")
    expect(page.locator("#report")).to_contain_text("There is no report")


@pytest.fixture
def waiting(page, service, finished):
    """The page of a job that waits for its turn."""
    with holding(service):
        job = service.start(finished["dataset"], "degree(p=5)")
        page.goto(f"/jobs/{job.id}/run")
        expect(page.locator("#stage")).to_have_text("Waiting")
        yield job


def advance(page, service):
    """Have the bar of the job that is shown move twice."""
    entry = service.jobs.entry(page.url.split("/")[-2])
    for fraction, value in ((0.2, "29"), (0.6, "47")):
        service.jobs.change(entry, save=False, state="running", stage="grouping", fraction=fraction)
        expect(page.locator("#bar")).to_have_attribute("value", value)
    expect(page.locator("#stage")).to_have_text("Forming groups …")


def press_by_mouse(page, service):
    box = page.get_by_role("button", name="Cancel").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    advance(page, service)
    page.mouse.up()


def press_by_keyboard(page, service):
    tab_to(page, "Cancel")
    remember(page, "#progress button")
    page.keyboard.down("Space")
    advance(page, service)
    expect(page.get_by_role("button", name="Cancel")).to_be_focused()
    assert is_remembered(page, "#progress button")
    page.keyboard.up("Space")


@pytest.mark.parametrize("press", [pytest.param(press_by_mouse, marks=pytest.mark.slow), press_by_keyboard])
def test_cancel_is_pressed_while_the_bar_moves(page, service, waiting, press):
    for _ in range(2):
        press(page, service)
        expect(page.get_by_role("heading", name="Cancelled")).to_be_visible()
        follow(page, page.get_by_role("button", name="Try again"))
        expect(page.locator("#stage")).to_have_text("Waiting")


def test_marking_loses_no_press_and_no_focus(page, service, sales):
    page.goto(f"/data/{sales}")
    search = page.get_by_label("Search to mark more")
    search.fill("wine")
    expect(page.locator("#found")).to_contain_text("fit")
    expect(page.locator("#found")).not_to_contain_text("the most frequent")
    page.wait_for_url(re.compile("search=wine$"))
    first, second = (page.locator("#found .chip").nth(at) for at in (0, 1))
    names = [chip.get_attribute("value") for chip in (first, second)]
    # While the second is pressed by the mouse, the answer about the first is put in.
    second.scroll_into_view_if_needed()
    box = second.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.down()
    first.evaluate("it => it.click()")
    expect(first).to_have_attribute("name", "remove")
    box = second.bounding_box()
    page.mouse.move(box["x"] + 5, box["y"] + 5)
    page.mouse.up()
    expect(second).to_have_attribute("name", "remove")
    assert sorted(service.datasets.get(sales).sensitive) == sorted(names)
    expect(second).to_be_focused()
    expect(search).to_have_value("wine")
    # What disappears with the focus on it hands it on to what is next to it.
    marked = page.locator("#marked .chip")
    marked.nth(0).focus()
    page.keyboard.press("Enter")
    expect(marked).to_have_count(1)
    expect(marked).to_be_focused()


@pytest.mark.slow
def test_leafing_keeps_the_focus_and_the_address(page, finished):
    page.goto(finished["url"])
    following = page.locator("#groups-next")
    following.focus()
    for first in ("9", "17"):
        page.keyboard.press("Enter")
        expect(page.locator("#group-page nav")).to_contain_text(f"{first} to")
        expect(following).to_be_focused()
    page.wait_for_url(re.compile("page=3$"))
    page.reload()
    expect(page.locator("#group-page nav")).to_contain_text("17 to")


def test_the_way_back_leads_over_what_was_chosen(page, service, finished):
    page.goto(f"/data/{finished['dataset']}/promise?name=degree")
    page.get_by_label("One in how many").fill("4")
    expect(page.locator("#feedback")).to_contain_text("1 member in 4")
    follow(page, page.get_by_role("button", name="Choose the method"))
    page.get_by_label("anatomy").check()
    page.get_by_text("Options of anatomy").click()
    page.get_by_label("Seed").fill("3")
    page.get_by_role("button", name="Make the release").click()
    loaded(page, "#verified")
    page.go_back()
    loaded(page, "#options")
    expect(page.get_by_label("anatomy")).to_be_checked()
    expect(page.locator("#seed")).to_have_value("3")
    page.go_back()
    expect(page.get_by_label("One in how many")).to_have_value("4")
    page.go_forward()
    page.go_forward()
    loaded(page, "#verified")
    assert service.jobs.get(page.url.split("/")[-1]).seed == 3


@pytest.mark.slow
def test_a_number_that_is_typed_is_not_called_good_before_it_was_checked(page, finished):
    page.goto(f"/data/{finished['dataset']}/promise?name=degree&p=5")
    strength, feedback = page.get_by_label("One in how many"), page.locator("#feedback")
    expect(feedback.locator(".good")).to_be_visible()
    strength.evaluate(
        "it => { it.value = ''; it.dispatchEvent(new InputEvent('input', { bubbles: true }));"
        " if (document.getElementById('feedback').ariaBusy !== 'true') throw Error('still called good'); }"
    )
    expect(feedback).to_contain_text("That cannot be promised.")
    strength.fill("6")
    expect(feedback).to_contain_text("1 member in 6")
    expect(feedback).not_to_have_attribute("aria-busy", "true")
    # The same when nobody is there to check it.
    page.context.set_offline(True)
    strength.fill("7")
    expect(page.locator("#connection")).to_contain_text("covey does not answer")
    expect(feedback).to_have_text("Not checked.")
    expect(strength).to_have_value("7")
    page.context.set_offline(False)
    expect(page.locator("#connection")).to_be_hidden()


def test_only_what_changes_is_put_in_and_a_server_that_is_gone_is_told(page, service, waiting):
    service.jobs.change(service.jobs.entry(waiting.id), save=False, state="running", stage="grouping", fraction=0)
    expect(page.locator("#bar")).to_have_attribute("value", "20")
    remember(page, "#stages")
    advance(page, service)
    assert is_remembered(page, "#stages")
    page.context.set_offline(True)
    expect(page.locator("#connection")).to_contain_text("covey does not answer")
    page.context.set_offline(False)
    expect(page.locator("#connection")).to_be_hidden()
    service.jobs.change(service.jobs.entry(waiting.id), save=False, fraction=0.8)
    expect(page.locator("#bar")).to_have_attribute("value", "56")


def test_a_search_is_typed_while_reading_ends(page, service):
    with holding(service, reading=True):
        page.goto(f"/data/{service.datasets.pick('sales.csv').id}")
        page.get_by_text("Say how to read it").click()
        page.get_by_label("Encoding").fill("utf-8")
        search = page.get_by_label("Search to mark more")
        search.press_sequentially("red win")
        expect(page.locator("#found")).to_contain_text("as soon as the file has been read")
        remember(page, "#search")
    expect(page.locator("#state .tiles")).to_be_visible()
    expect(page.locator("#found").get_by_role("button", name="red wine")).to_be_visible()
    expect(page.locator("#found")).not_to_contain_text("the most frequent")
    expect(page.get_by_text("Paste or upload a list")).to_be_visible()
    expect(search).to_be_focused()
    expect(page.get_by_label("Encoding")).to_have_value("utf-8")
    assert is_remembered(page, "#search")
    page.keyboard.type("e")
    expect(search).to_have_value("red wine")


@pytest.mark.slow
def test_roles_are_chosen_while_reading_ends(page, service):
    with holding(service, reading=True):
        page.goto(f"/data/{service.datasets.pick('patients.csv').id}")
        roles = page.locator("#roles")
        roles.get_by_label("illness", exact=True).select_option("sensitive")
        expect(roles.get_by_label("name", exact=True)).to_have_value("quasi")
    expect(page.locator("#unconfirmed")).to_contain_text("may name people")
    expect(roles.get_by_label("name", exact=True)).to_have_value("identifier")
    expect(roles.get_by_label("illness", exact=True)).to_have_value("sensitive")
    expect(page.locator("#about-1")).to_contain_text("300 values: P0")
    expect(page.locator("#steps").get_by_role("link", name="Risk today")).to_have_count(0)


@pytest.mark.slow
def test_a_file_that_turns_out_to_be_broken_is_told(page, service, tmp_path):
    path = tmp_path / "late.csv"
    path.write_bytes(b"order,item\n" + b"1,wine\n" * 20_000 + b'2,"beer\xff\n')
    with holding(service, reading=True):
        page.goto(f"/data/{service.datasets.upload('late.csv', path).id}")
        remember(page, "h1")
        expect(page.get_by_role("link", name="See the risk today")).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("This file cannot be used as it is.")
    expect(page.get_by_role("button", name="See the risk today")).to_be_disabled()
    expect(page.locator("#steps").get_by_role("link", name="Promise")).to_have_count(0)
    assert is_remembered(page, "h1")
