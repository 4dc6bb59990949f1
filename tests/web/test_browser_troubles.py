"""What goes wrong on the page is said in words, with a way out: bad files, impossible wishes, cancelling, restarts."""


def test_a_file_that_cannot_be_read_says_why(page, root):
    page.goto("/")
    page.locator("#file").set_input_files(root / "broken.csv")
    note = page.get_by_role("alert")
    note.wait_for()
    assert "This file cannot be used as it is." in note.inner_text()
    assert "broken.csv" in note.inner_text()
    page.get_by_text("Say how to read it").wait_for()
    assert page.get_by_role("button", name="See the risk today").is_disabled()
    page.goto(f"{page.url}/risk")
    page.get_by_text("The risk cannot be told.").wait_for()


def test_an_impossible_promise_is_refused_while_it_is_typed(page, finished):
    page.goto(f"/data/{finished['dataset']}/promise")
    strength = page.get_by_label("One in how many")
    strength.fill("5000")
    page.get_by_text("That cannot be promised.").wait_for()
    page.get_by_role("link", name="Use p =").click()
    page.locator("#feedback .good").wait_for()
    best = int(strength.input_value())
    assert 2 <= best < 5000
    strength.fill("much")
    page.get_by_text("That cannot be promised.").wait_for()
    page.get_by_role("button", name="Choose the method").click()
    page.get_by_text("must be an integer").wait_for()
    assert "/promise" in page.url


def test_a_running_job_can_be_cancelled(page, client, large):
    wish = {"dataset": large, "guarantee": "k-anonymity(k=5)"}
    job = client.post("/jobs", json=wish).raise_for_status().json()
    page.goto(f"/jobs/{job['id']}")
    page.get_by_role("progressbar", name="Progress").wait_for()
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("heading", name="Cancelled").wait_for()
    page.goto("/jobs")
    assert "Cancelled" in page.get_by_role("row", name="large.dat").inner_text()


def test_unknown_pages_and_names_are_told_and_escaped(page, server, tmp_path):
    page.goto("/jobs/0123456789ab")
    assert page.get_by_role("alert").get_by_role("heading", name="This is not here").is_visible()
    odd = tmp_path / "<img src=x onerror=alert(1)>.csv"
    odd.write_text("transaction,item\n1,<b>bold</b>\n2,<script>alert(2)</script>\n")
    page.goto("/")
    page.locator("#file").set_input_files(odd)
    page.locator("#state .tiles").wait_for()
    assert "<script>alert(2)</script>" in page.locator("#sensitive").inner_text()
    assert page.locator("main img, main b b").count() == 0


def test_a_restart_shows_earlier_work_and_old_work_can_be_removed(browser, tmp_path, root, start_server):
    first = start_server(tmp_path, "--root", root)
    try:
        with browser.new_context(base_url=first.url) as context:
            page = context.new_page()
            page.goto("/")
            page.get_by_role("button", name="Use patients.csv").click()
            page.locator("#state .tiles").wait_for()
            page.goto(f"{page.url}/method?name=k-anonymity&k=5")
            page.get_by_role("button", name="Make the release").click()
            page.locator("#verified").wait_for()
            fingerprint = page.locator("#fingerprint").inner_text()
    finally:
        first.stop()
    again = start_server(tmp_path, "--root", root)
    try:
        with browser.new_context(base_url=again.url) as context:
            page = context.new_page()
            page.goto("/jobs")
            row = page.get_by_role("row", name="patients.csv")
            assert "Verified" in row.inner_text()
            row.get_by_role("link", name="patients.csv", exact=True).click()
            page.locator("#verified").wait_for()
            assert page.locator("#fingerprint").inner_text() == fingerprint
            page.goto("/jobs")
            page.get_by_label("Remove what is older than").fill("0")
            page.get_by_role("button", name="Remove …").click()
            page.get_by_text("This cannot be undone.").wait_for()
            page.get_by_role("button", name="Remove 1 release and 1 file").click()
            page.get_by_text("Removed.").wait_for()
            assert page.get_by_role("link", name="patients.csv").count() == 0
    finally:
        again.stop()
    assert (root / "patients.csv").exists()
