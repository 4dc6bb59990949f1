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
        command = [sys.executable, "-m", "covey", "serve", "--no-browser", "--port", "0", "--json"]
        self.process = subprocess.Popen(
            [*command, "--data", str(folder), *map(str, options)], stdout=subprocess.PIPE
        )
        self.url = self._ready()["url"].rstrip("/")

    def _ready(self):
        """The object that the server prints when it listens."""
        pipe, text = self.process.stdout.fileno(), b""
        while select.select([pipe], [], [], 60)[0]:
            piece = os.read(pipe, 4096)
            text += piece
            if not piece or text.rstrip().endswith(b"}"):
                break
        try:
            return json.loads(text)
        except json.JSONDecodeError:
            self.stop()
            raise AssertionError(f"the server did not start: {text!r}") from None

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
    from covey.io.ratings.writing import write_ratings
    from covey.synth import shop, survey

    folder = tmp_path_factory.mktemp("root")
    made = shop(transactions=1500, seed=1)
    write(made.baskets, folder / "sales.csv")
    write_ratings(survey(respondents=300, issues=6, profiles=4, seed=1), folder / "survey.csv")
    with (folder / "sales.taxonomy.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("child", "parent"), *made.taxonomy])
    (folder / "sex.csv").write_text("f,*\nm,*\n")
    draw = np.random.default_rng(1)
    with (folder / "patients.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["name", "age", "postcode", "sex", "illness"])
        for number in range(600):
            illness = ("flu", "asthma", "diabetes", "measles")[draw.integers(4)]
            place = f"{draw.integers(10, 30)}0{draw.integers(0, 9)}"
            rows.writerow([f"P{number}", draw.integers(18, 90), place, "fm"[draw.integers(2)], illness])
    rows_of_items = draw.integers(0, 400, (40_000, 10))
    np.savetxt(folder / "large.dat", rows_of_items, fmt="%d")
    (folder / "broken.csv").write_bytes(b'id,item\n1,"wine\n' + bytes(range(256)))
    return folder


@pytest.fixture(scope="session")
def demo_file(tmp_path_factory):
    """The generated shop of the demonstration, as a file to upload."""
    from covey.io import write
    from covey.synth import shop

    file = tmp_path_factory.mktemp("demo") / "shop.csv"
    write(shop(transactions=5_000, seed=1).baskets, file)
    return file


@pytest.fixture(scope="session")
def axe():
    """The script of axe-core, which looks for barriers (see the licence beside it)."""
    return (Path(__file__).parent / "assets" / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture
def start_server():
    """Start further servers: ``start_server(folder, *options)``."""
    return Server


@pytest.fixture(scope="session")
def server(tmp_path_factory, root):
    """A running server with the files of `root` to pick from."""
    running = Server(tmp_path_factory.mktemp("served"), "--root", root)
    yield running
    running.stop()


@pytest.fixture(scope="session")
def client(server):
    """The API, to prepare what a test of a later step begins with."""
    try:
        import httpx
    except ImportError:
        missing("needs the Python package httpx")
    with httpx.Client(base_url=f"{server.url}/api/v1", timeout=60) as opened:
        yield opened


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium."""
    path = chromium()
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("needs the Python package playwright")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield running
        running.close()


@pytest.fixture(scope="session")
def desk(browser, server):
    """A page on which later steps are prepared, and waited for as a person would."""
    context = browser.new_context(base_url=server.url)
    context.set_default_timeout(60_000)
    yield context.new_page()
    context.close()


def picked(client, desk, name):
    """The id of a file of the root, once it was read."""
    id = client.post("/datasets/pick", json={"path": name}).raise_for_status().json()["id"]
    desk.goto(f"/data/{id}")
    desk.locator("#state .tiles").wait_for()
    return id


@pytest.fixture
def sales(client, desk):
    """A shop's baskets, read, with nothing marked."""
    return picked(client, desk, "sales.csv")


@pytest.fixture
def patients(client, desk):
    """A table, read."""
    return picked(client, desk, "patients.csv")


@pytest.fixture(scope="session")
def large(client, desk):
    """Baskets that take a while."""
    return picked(client, desk, "large.dat")


@pytest.fixture(scope="session")
def finished(client, desk):
    """A finished job: its id, url and dataset, and the id of a cancelled one."""
    data = picked(client, desk, "sales.csv")
    client.put(f"/datasets/{data}/sensitive", json=["condoms", "pregnancy test"]).raise_for_status()
    desk.goto(f"/data/{data}/risk")
    desk.locator("#risk canvas").wait_for()
    wish = {"dataset": data, "guarantee": "degree(p=5)", "seed": 1}
    job = client.post("/jobs", json=wish).raise_for_status().json()
    other = client.post("/jobs", json=wish).raise_for_status().json()
    client.post(f"/jobs/{other['id']}/cancel").raise_for_status()
    desk.goto(f"/jobs/{job['id']}")
    desk.locator("#utility").wait_for()
    return {"id": job["id"], "url": f"/jobs/{job['id']}", "dataset": data, "cancelled": other["id"]}


@pytest.fixture
def context(browser, server):
    """A fresh profile; a script error or a request that the page's own policy forbids fails the test."""
    opened = browser.new_context(base_url=server.url, viewport={"width": 1180, "height": 900})
    opened.set_default_timeout(40_000)
    troubles = []
    opened.on("weberror", lambda error: troubles.append(str(error.error)))
    opened.on(
        "console",
        lambda message: troubles.append(message.text) if "Content Security Policy" in message.text else None,
    )
    yield opened
    opened.close()
    assert troubles == []


@pytest.fixture
def page(context):
    """A page in a fresh profile."""
    return context.new_page()
