"""One real server and one real browser for all tests of the page."""

import csv
import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from covey.io import write
from covey.io.writing import write_ratings
from covey.synth import shop, survey
from covey.web.settings import Settings
from serving import examined, finished, read, serving
from walking import PATIENCE

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
ARGUMENTS += ["--disable-component-update", "--disable-sync", "--disable-dev-shm-usage"]


def missing(reason):
    """Skip with a reason, or fail with it where everything has to be there."""
    if os.environ.get("CI", "").lower() not in ("", "0", "false"):
        pytest.fail(reason)
    pytest.skip(reason)


def chromium():
    """The browser to use."""
    named = os.environ.get("COVEY_CHROMIUM")
    found = named or next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if found is None:
        missing("needs Chromium: install it, or set COVEY_CHROMIUM to its path")
    return found


@pytest.fixture(scope="session")
def root(tmp_path_factory):
    """A folder with small files to pick and to upload: baskets, ratings, a table, and nonsense."""
    folder = tmp_path_factory.mktemp("root")
    made = shop(transactions=1_000, seed=1)
    write(made.baskets, folder / "sales.csv")
    write_ratings(survey(respondents=300, issues=6, profiles=4, seed=1), folder / "survey.csv")
    with (folder / "sales.taxonomy.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([("child", "parent"), *made.taxonomy])
    (folder / "sex.csv").write_text("f,*\nm,*\n")
    with (folder / "visits.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["order", "customer", "item"])
        rows.writerows([at, f"c{at % 90}", "abcdefgh"[(at * 7 + k * k) % 8]] for at in range(400) for k in range(3))
    people = {"customer": [f"c{at}" for at in range(120)], "age": [20 + at % 30 for at in range(120)]}
    people["bought"] = [list("xyz"[: at % 4]) for at in range(120)]
    pq.write_table(pa.table(people), folder / "people.parquet")
    draw = np.random.default_rng(1)
    with (folder / "patients.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["name", "age", "postcode", "sex", "illness"])
        for number in range(300):
            illness = ("flu", "asthma", "diabetes", "measles")[draw.integers(4)]
            place = f"{draw.integers(10, 30)}0{draw.integers(0, 9)}"
            rows.writerow([f"P{number}", draw.integers(18, 90), place, "fm"[draw.integers(2)], illness])
    (folder / "broken.csv").write_bytes(b'id,item\n1,"wine\n' + bytes(range(256)))
    return folder


@pytest.fixture(scope="session")
def axe():
    """The script of axe-core, which looks for barriers (see the licence beside it)."""
    return (Path(__file__).parent / "assets" / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def server(tmp_path_factory, root):
    """A running server with the files of `root` to pick from: its address, the service behind it, and a client."""
    with serving(Settings(data=tmp_path_factory.mktemp("served"), root=root, parallel=3)) as (service, client):
        yield SimpleNamespace(url=str(client.base_url).rstrip("/"), service=service, client=client)


@pytest.fixture(scope="session")
def served(server):
    """The service and a client of its server, for tests that need no browser."""
    return server.service, server.client


@pytest.fixture(scope="session")
def service(server):
    """The service behind the server, to prepare what a test of a later step begins with."""
    return server.service


@pytest.fixture(scope="session")
def browser():
    """A headless Chromium."""
    path = chromium()
    try:
        from playwright.sync_api import expect, sync_playwright
    except ImportError:
        missing("needs the Python package playwright")
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield running
        running.close()


def picked(service, name):
    """A file of the root, once it was read."""
    data = read(service, service.datasets.pick(name))
    assert data.state == "ready", data.problem
    return data


@pytest.fixture(scope="session")
def made(served):
    """A finished release of groups, with its dataset."""
    service, client = served
    id = picked(service, "sales.csv").id
    client.post(f"/data/{id}/sensitive/list", data={"list": "condoms\npregnancy test"})
    examined(served, id)
    # Unmerged, so that there are groups to leaf through.
    return finished(served, id, "degree(p=5)", seed=1, options={"merge": False})
