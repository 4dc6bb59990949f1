"""Every step for everybody: no finding of axe in light and dark, no overflow on a phone, keyboard alone."""

import pytest

import covey
from walking import expect, loaded, profile, tab_to

STEPS = {
    "file": "/",
    "data": "/data/{dataset}",
    "risk": "/data/{dataset}/risk",
    "promise": "/data/{dataset}/promise",
    "refusal": "/data/{dataset}/promise?name=degree&p=100000",
    "method": "/data/{dataset}/method?name=degree&p=5",
    "cancelled": "/jobs/{cancelled}/run",
    "result": "/jobs/{id}",
    "trade": "/data/{dataset}/trade?guarantee=degree(p%3D5)",
    "jobs": "/jobs",
    "remove": "/jobs/{id}/remove",
    "unmark": "/data/{dataset}/sensitive/clear",
    "error": "/data/0123456789ab",
    "report": "/jobs/{id}/report.html",
}

#: Pages that most people see; the others are slow.
OFTEN = ("file", "data", "promise", "result", "report")


def opened(page, path, finished):
    page.goto(path.format(**finished))
    expect(page.locator("h1")).to_be_visible()


@pytest.fixture(scope="module")
def audit(browser, server):
    """A page on which axe can be put although the page's own policy forbids it."""
    context = profile(browser, server.url, bypass_csp=True)
    yield context.new_page()
    context.close()


@pytest.mark.parametrize(
    "step", [step if step in OFTEN else pytest.param(step, marks=pytest.mark.slow) for step in STEPS]
)
def test_axe_finds_nothing(audit, axe, finished, step):
    opened(audit, STEPS[step], finished)
    audit.evaluate("for (const details of document.querySelectorAll('details')) details.open = true")
    audit.evaluate(axe)
    # Light is looked at as a whole; dark differs in its colours alone.
    for scheme, options in (("light", {}), ("dark", {"runOnly": ["color-contrast"]})):
        audit.emulate_media(color_scheme=scheme)
        outcome = audit.evaluate("options => axe.run(options)", options)
        assert outcome["passes"]
        assert [
            (scheme, finding["id"], node["html"], node["failureSummary"])
            for finding in outcome["violations"]
            for node in finding["nodes"]
        ] == []


def test_a_phone_shows_every_step_without_scrolling_sideways(browser, server, service, finished, tmp_path):
    width = 390
    with profile(
        browser, server.url, viewport={"width": width, "height": 844}, is_mobile=True, has_touch=True
    ) as context:
        page = context.new_page()
        for name, path in STEPS.items():
            opened(page, path, finished)
            page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true")
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        # Names without a blank, and more sensitive items than anybody reads.
        path = tmp_path / "long.csv"
        names = [f"{'item_without_a_blank_' * 5}{number}" for number in range(5_001)]
        path.write_text("order,item\n" + "".join(f"{at % 900},{name}\n" for at, name in enumerate(names)))
        long = service.datasets.wait(service.datasets.upload("a_file_with_a_name_" * 6 + ".csv", path).id)
        service.sensitive.mark(long.id, names[1:])
        opened(page, f"/data/{long.id}", finished)
        expect(page.locator("#marked")).to_contain_text("and 4,940 more")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        service.remove_dataset(long.id)
        # Nothing of the list of releases needs scrolling, and the names of the attacks are not cut off.
        opened(page, STEPS["jobs"], finished)
        assert page.locator(".scroll").first.evaluate("it => it.scrollWidth <= it.clientWidth")
        opened(page, STEPS["result"], finished)
        page.locator("#attack-chart").scroll_into_view_if_needed()
        left = page.locator("#attack-chart").evaluate(
            "it => { const y = Chart.getChart(it).scales.y; return y.width - Math.max(...y._getLabelSizes().widths); }"
        )
        assert left >= 0


def test_the_main_path_by_keyboard_alone(page):
    page.goto("/")
    for name, next_part in (
        ("Use sales.csv", "#state .tiles"),
        ("See the risk today", "#risk canvas"),
        ("Choose what to promise", "#strength"),
        ("Choose the method", "#options"),
        ("Make the release", "#verified"),
    ):
        tab_to(page, name)
        page.keyboard.press("Enter")
        loaded(page, next_part)
    expect(page.locator("#verified")).to_contain_text("k-anonymity(k=5)")
    tab_to(page, "Download the release (zip)")
    with page.expect_download():
        page.keyboard.press("Enter")


def test_the_pages_load_nothing_from_elsewhere(page, server, finished):
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    for path in ("/", "/data/{dataset}/risk", "/jobs/{id}"):
        opened(page, path, finished)
    assert asked
    assert all(url.startswith((server.url, "data:")) for url in asked)


def test_the_steps_work_without_scripts(browser, server, finished):
    with profile(browser, server.url, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"/data/{finished['dataset']}?search=wine")
        expect(page.get_by_role("button", name="red wine")).to_be_visible()
        page.goto(f"/data/{finished['dataset']}/promise?name=degree&p=4")
        page.get_by_role("button", name="Choose the method").click()
        expect(page.locator("main")).to_contain_text("degree(p=4)")
        page.goto(f"/jobs/{finished['id']}")
        page.locator("#ask").get_by_role("button", name="Ask").click()
        expect(page.locator("#answer")).to_contain_text("For certain between")


def test_the_report_on_a_table_fits_screen_and_phone(browser, tmp_path):
    people = covey.synth.people(rows=300, seed=1)
    covey.publish(people, tmp_path / "out", "l-diversity(l=2)", seed=1)
    covey.report(tmp_path / "out", tmp_path / "report.html", people)
    with browser.new_context() as context:
        page = context.new_page()
        page.goto((tmp_path / "report.html").as_uri())
        for width in (1100, 820, 390):
            page.set_viewport_size({"width": width, "height": 800})
            assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.set_viewport_size({"width": 820, "height": 800})  # nor is anything cut off that has room
        assert page.evaluate("[...document.querySelectorAll('.wide')].every(it => it.scrollWidth <= it.clientWidth)")
