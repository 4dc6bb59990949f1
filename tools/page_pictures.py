"""Take docs/img/web-*.png: the web page on its own demo data, in a real browser."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

IMAGES = Path(__file__).parents[1] / "docs" / "img"


def main() -> None:
    """Serve a fresh folder, and walk from the demo data to a verified release and what follows."""
    command = [sys.executable, "-m", "covey", "serve", "--no-browser", "--port", "0", "--json", "--data"]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen([*command, folder], stdout=subprocess.PIPE, text=True) as server,
        sync_playwright() as playwright,
    ):
        assert server.stdout is not None
        text = ""
        while not text.rstrip().endswith("}"):
            text += server.stdout.readline()
        path = os.environ.get("COVEY_CHROMIUM") or shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1080, "height": 860}, device_scale_factor=1.5)
        page.set_default_timeout(600_000)
        try:
            take(page, json.loads(text)["url"])
        finally:
            browser.close()
            server.terminate()


def take(page: Page, url: str) -> None:
    """Take the pictures of the page at `url`."""
    page.goto(url)
    page.locator("form[action='/demo'] button").first.click()
    page.locator("#state .tiles").wait_for()
    page.get_by_text("See the risk today").click()
    page.locator("#risk svg").first.wait_for()
    page.screenshot(path=IMAGES / "web-risk.png")
    page.get_by_role("link", name="Choose what to promise").click()
    page.locator("#strength").wait_for()
    page.get_by_role("button", name="Choose the method").click()
    page.locator("#to-trade").wait_for()
    method = page.url
    page.get_by_role("button", name="Make the release").click()
    page.locator("#attacks svg").wait_for()
    page.evaluate("scrollTo(0, 0)")
    page.screenshot(path=IMAGES / "web-result.png")
    page.locator("#download").screenshot(path=IMAGES / "web-handover.png")
    page.goto(method)
    page.locator("#to-trade").click()
    page.locator("#strengths").fill("2, 3, 5, 10")
    page.get_by_role("button", name="Try them").click()
    page.locator("#explored table").wait_for()
    page.locator("#chart").screenshot(path=IMAGES / "web-trade.png")


if __name__ == "__main__":
    main()
