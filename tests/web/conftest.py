"""One real server and one real browser for all tests of the page."""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]

ASSETS = Path(__file__).parent / "assets"


def missing(reason):
    """Skip with a reason, or fail with it where everything has to be there."""
    if os.environ.get("CI", "").lower() not in ("", "0", "false"):
        pytest.fail(reason)
    pytest.skip(reason)


def chromium():
    """The browser to use."""
    named = os.environ.get("COVEY_CHROMIUM")
    found = named or next(
        filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
    )
    if found is None:
        missing("needs Chromium: install it, or set COVEY_CHROMIUM to its path")
    return found


class Server:
    """`covey serve` as its users run it: a process of its own."""

    def __init__(self, folder, *options):
        self.folder = folder
        command = [sys.executable, "-m", "covey", "serve", "--no-browser", "--port", "0", "--json"]
        self.process = subprocess.Popen(
            [*command, "--data", str(folder), *map(str, options)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        self.url = self._ready()["url"].rstrip("/")

    def _ready(self):
        """The object that the server prints when it listens."""
        text = ""
        while True:
            if not select.select([self.process.stdout], [], [], 60)[0]:
                self.process.kill()
                raise AssertionError(f"the server did not start within a minute: {text}")
            line = self.process.stdout.readline()
            if not line:
                raise AssertionError(f"the server ended: {text}{self.process.stderr.read()}")
            text += line
            try:
                return json.loads(text)
            except json.JSONDecodeError:
                continue

    def stop(self):
        """End it as Ctrl-C does; everything it started ends with it."""
        self.process.send_signal(signal.SIGINT)
        self.process.communicate(timeout=30)


@pytest.fixture(scope="session")
def root(tmp_path_factory):
    """A folder with small files to pick and to upload: baskets, ratings, a table, and nonsense."""
    import csv

    import numpy as np

    from covey.io import write
    from covey.io.rating_writing import write_ratings
    from covey.synth import shop, survey

    folder = tmp_path_factory.mktemp("root")
    made = shop(transactions=1500, seed=1)
    write(made.baskets, folder / "sales.csv")
    write_ratings(survey(respondents=300, issues=6, profiles=4, seed=1), folder / "survey.csv")
    draw = np.random.default_rng(1)
    with (folder / "patients.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["name", "age", "postcode", "sex", "illness"])
        for number in range(600):
            illness = ("flu", "asthma", "diabetes", "measles")[draw.integers(4)]
            place = f"{draw.integers(10, 30)}0{draw.integers(0, 9)}"
            rows.writerow([f"P{number}", draw.integers(18, 90), place, "fm"[draw.integers(2)], illness])
    (folder / "broken.csv").write_bytes(b'id,item\n1,"wine\n' + bytes(range(256)))
    return folder


@pytest.fixture(scope="session")
def server(tmp_path_factory, root):
    """A running server with the files of `root` to pick from."""
    running = Server(tmp_path_factory.mktemp("served"), "--root", root)
    yield running
    running.stop()


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium."""
    path = chromium()
    sync_api = pytest.importorskip("playwright.sync_api", reason="needs the Python package playwright")
    with sync_api.sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield running
        running.close()


@pytest.fixture
def context(browser, server):
    """A fresh profile; a script error or a request that the page's own policy forbids fails the test."""
    opened = browser.new_context(base_url=server.url, viewport={"width": 1180, "height": 900})
    opened.set_default_timeout(20_000)
    troubles = []
    opened.on("weberror", lambda error: troubles.append(str(error.error)))
    opened.on(
        "console",
        lambda message: (
            troubles.append(message.text) if "Content Security Policy" in message.text else None
        ),
    )
    yield opened
    opened.close()
    assert troubles == []


@pytest.fixture
def page(context):
    """A page in a fresh profile."""
    return context.new_page()
