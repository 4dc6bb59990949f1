"""Take docs/img/web-*.png: the web page on its own demo data, in a real browser."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

IMAGES = Path(__file__).parents[1] / "docs" / "img"


def main() -> None:
    """Walk from the demo data to a verified release and what follows, and take pictures."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "covey",
            "serve",
            "--no-browser",
            "--port",
            "0",
            "--json",
            "--data",
            folder,
        ]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            text = ""
            while not text.rstrip().endswith("}"):
                text += server.stdout.readline()
            take(json.loads(text)["url"])
        finally:
            server.terminate()
            server.wait()


def take(url: str) -> None:
    """The pictures, of the page at `url`."""
    browser_path = os.environ.get("COVEY_CHROMIUM") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1080, "height": 860}, device_scale_factor=1.5)
        page.set_default_timeout(600_000)
        page.goto(url)
        page.locator("form[action='/demo'] button").first.click()
        page.locator("#state .tiles").wait_for()
        page.get_by_text("See the risk today").click()
        page.locator("#risk canvas").first.wait_for()
        page.wait_for_load_state("networkidle")
        page.screenshot(path=IMAGES / "web-risk.png")
        page.get_by_role("link", name="Choose what to promise").click()
        page.locator("#strength").wait_for()
        page.get_by_role("button", name="Choose the method").click()
        page.locator("#to-trade").wait_for()
        method = page.url
        page.get_by_role("button", name="Make the release").click()
        page.locator("#attack-chart").wait_for()
        page.evaluate("scrollTo(0, 0)")
        page.screenshot(path=IMAGES / "web-result.png")
        page.locator("#download").screenshot(path=IMAGES / "web-handover.png")
        page.goto(method)
        page.locator("#to-trade").click()
        page.locator("#strengths").fill("2, 3, 5, 10")
        page.get_by_role("button", name="Try them").click()
        page.get_by_text(re.compile(r"^\s*(\d+) of \1 are measured\.$")).wait_for()
        page.locator("#chart").screenshot(path=IMAGES / "web-trade.png")
        browser.close()


if __name__ == "__main__":
    main()
