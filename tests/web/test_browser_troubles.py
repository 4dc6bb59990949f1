"""What goes wrong on the page is said in words, with a way out: bad files, impossible promises, restarts."""

from contextlib import contextmanager

from covey.web.server.settings import Settings
from serving import serving
from walking import expect, follow, loaded, profile


def test_a_file_that_cannot_be_read_says_why(page, root):
    page.goto("/")
    page.locator("#file").set_input_files(root / "broken.csv")
    page.wait_for_url("**/data/*")
    note = page.get_by_role("alert")
    expect(note).to_contain_text("This file cannot be used as it is.")
    expect(note).to_contain_text("broken.csv")
    expect(page.get_by_text("Say how to read it")).to_be_visible()
    expect(page.get_by_role("button", name="See the risk today")).to_be_disabled()
    page.goto(f"{page.url}/risk")
    expect(page.get_by_role("alert")).to_contain_text("The risk cannot be told.")


def test_an_impossible_promise_is_refused_while_it_is_typed(page, finished):
    page.goto(f"/data/{finished['dataset']}/promise")
    strength, feedback = page.get_by_label("One in how many"), page.locator("#feedback")
    strength.fill("5000")
    expect(feedback).to_contain_text("That cannot be promised.")
    follow(page, page.get_by_role("link", name="Use p ="))
    expect(feedback.locator(".good")).to_be_visible()
    best = int(strength.input_value())
    assert 2 <= best < 5000
    strength.fill("much")
    expect(feedback).to_contain_text("must be a whole number of at least 2")
    follow(page, page.get_by_role("button", name="Choose the method"))
    assert "/promise" in page.url
    expect(feedback).to_contain_text("must be a whole number of at least 2")


def test_unknown_pages_and_names_are_told_and_escaped(page, tmp_path):
    page.goto("/jobs/0123456789ab")
    expect(page.get_by_role("alert").get_by_role("heading", name="Page not found")).to_be_visible()
    odd = tmp_path / "<img src=x onerror=alert(1)>.csv"
    odd.write_text("transaction,item\n1,<b>bold</b>\n2,<script>alert(2)</script>\n")
    page.goto("/")
    page.locator("#file").set_input_files(odd)
    loaded(page, "#state .tiles")
    expect(page.locator("#sensitive")).to_contain_text("<script>alert(2)</script>")
    expect(page.locator("main img, main b b")).to_have_count(0)


@contextmanager
def opened(browser, settings, workers):
    """A server of its own and a browser that came by the address with the token, as `covey serve` opens it."""
    with serving(settings, workers) as (_, client), profile(browser, str(client.base_url)) as context:
        page = context.new_page()
        page.goto(f"/?token={settings.token}")
        yield page


def test_a_restart_shows_earlier_work_and_old_work_can_be_removed(browser, workers, tmp_path, root):
    settings = Settings(data=tmp_path / "data", root=root, token="known-to-the-browser")
    with opened(browser, settings, workers) as page:
        assert "token" not in page.url  # which the address bar does not keep
        page.get_by_role("button", name="Use patients.csv").click()
        loaded(page, "#state .tiles")
        page.goto(f"{page.url}/method?name=k-anonymity&k=5")
        page.get_by_role("button", name="Make the release").click()
        loaded(page, "#verified")
        fingerprint = page.locator("#fingerprint").inner_text()
    with opened(browser, settings, workers) as page:
        context = page.context
        page.goto("/jobs")
        row = page.get_by_role("row", name="patients.csv")
        expect(row).to_contain_text("Verified")
        row.get_by_role("link", name="patients.csv", exact=True).click()
        loaded(page, "#verified")
        expect(page.locator("#fingerprint")).to_have_text(fingerprint)
        cookies = context.cookies()
        context.clear_cookies()
        page.locator("#groups-next").click()
        expect(page.locator("#connection")).to_contain_text("This session has ended.")
        context.add_cookies(cookies)
        page.goto("/jobs")
        page.get_by_label("Remove what is older than").fill("0")
        page.get_by_role("button", name="Remove …").click()
        expect(page.get_by_text("This cannot be undone.")).to_be_visible()
        page.get_by_role("button", name="Remove 1 release and 1 file").click()
        expect(page.get_by_text("Removed.")).to_be_visible()
        expect(page.get_by_role("link", name="patients.csv", exact=True)).to_have_count(0)
    assert (root / "patients.csv").exists()
