"""The web page under load: many clients while two jobs run, strengths tried, a job in a browser, a large upload."""

from __future__ import annotations

import asyncio
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import numpy as np

from covey.io import write
from covey.synth import quest
from ratios import QUICK, main, report, rival, scaled, with_random_sensitive

CLIENTS = 50
#: Seconds between an answer and the next request of a client; a page sends one every 0.4 seconds.
PAUSE = 0.2
MIB = 1 << 20
UPLOAD = 16 if QUICK else 1024
#: How a page asks for the pieces of it that change.
SCRIPT = {"HX-Request": "true"}


@contextmanager
def server(*options: str | Path) -> Iterator[tuple[httpx.Client, int]]:
    """Run `covey serve` in a process of its own; yield a client of it, and its process id."""
    command = [sys.executable, "-m", "covey", "serve", "--no-browser", "--no-token", "--port", "0", "--json", *options]
    with (
        tempfile.TemporaryDirectory() as folder,
        subprocess.Popen([*command, "--data", folder], stdout=subprocess.PIPE, text=True) as process,
    ):
        assert process.stdout is not None
        text = ""
        while not text.endswith("}\n"):
            text += process.stdout.readline()
        try:
            with httpx.Client(base_url=json.loads(text)["url"], timeout=600, trust_env=False) as client:
                yield client, process.pid
        finally:
            process.terminate()


def post(client: httpx.Client, path: str, /, **form: str) -> str:
    """Send a form; return the page that it leads to."""
    answer = client.post(path, data=form)
    if answer.status_code != 303:
        raise RuntimeError(f"POST {path}: {answer.status_code} {answer.text[:300]!r}")
    return answer.headers["location"]


def wait_while(client: httpx.Client, path: str, waiting: str) -> str:
    """Load a page until it no longer contains this text; return it."""
    while waiting in (page := client.get(path).raise_for_status().text):
        time.sleep(0.1)
    return page


def demo(client: httpx.Client) -> str:
    """Return the page of covey's own demo data, once it was read."""
    page = post(client, "/demo", name="shop")
    wait_while(client, page, "every 500ms")
    return page


async def poll(path: str, url: str, until: asyncio.Event, spent: list[float], errors: list[str]) -> None:
    """Send requests on one connection until the job has ended."""
    reader, writer = await asyncio.open_connection(*re.findall(r"//(.+):(\d+)", url)[0])
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nHX-Request: true\r\n\r\n".encode()
    while not until.is_set():
        begin = time.perf_counter()
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        if head.startswith(b"HTTP/1.1 204"):  # the page is to show the result
            until.set()
        elif head.startswith(b"HTTP/1.1 200"):
            length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            await reader.readexactly(length)
            spent.append(time.perf_counter() - begin)
        else:
            errors.append(head.decode())
        await asyncio.sleep(PAUSE)
    writer.close()


async def poll_all(paths: list[str], url: str) -> tuple[list[float], list[str]]:
    """Run all clients, each on one of the jobs, until the first of these has ended."""
    until, spent, errors = asyncio.Event(), [], []
    await asyncio.gather(*(poll(paths[i % len(paths)], url, until, spent, errors) for i in range(CLIENTS)))
    return spent, errors


def polling() -> None:
    """Measure status requests while two releases are made at the same time."""
    data = with_random_sensitive(quest(transactions=scaled(200_000), items=5_000, seed=1), 10, 0)
    with tempfile.TemporaryDirectory() as root, server("--root", root, "--jobs", "2") as (client, _):
        write(data, Path(root) / "quest.dat")
        page = post(client, "/pick", path="quest.dat")
        wait_while(client, page, "every 500ms")
        client.post(f"{page}/sensitive/list", data={"list": "\n".join(data.sensitive_items())})
        jobs = [post(client, f"{page}/start", guarantee="degree(p=10)") for _ in range(2)]
        spent, errors = asyncio.run(poll_all(jobs, str(client.base_url)))
    report("errors among the requests for progress", len(errors), most=0, unit="", note=f"{len(spent):,} requests")
    for share, most in ((50, None), (99, 200)):
        name = f"{CLIENTS} clients polling while two jobs run: p{share}"
        report(name, 1000 * float(np.percentile(spent, share)), most=most, unit=" ms")


def exploring() -> None:
    """Measure six strengths by two methods on the demo data, and how fast the page answers meanwhile."""
    with server() as (client, _):
        page, begin, pages = demo(client), time.perf_counter(), []
        form = {"guarantee": "degree(p=5)", "strengths": "2,3,4,5,6,7", "method:cahd": "on", "method:matched": "on"}
        post(client, f"{page}/explore", **form)
        shown = "every 1s"
        while "every 1s" in shown:
            time.sleep(1)  # as a page does
            start = time.perf_counter()
            shown = client.get(f"{page}/explore", params={"guarantee": "degree(p=5)"}).raise_for_status().text
            pages.append(time.perf_counter() - start)
        spent = time.perf_counter() - begin
    assert "<table" in shown, shown
    report("six strengths by two methods on the demo data", spent, most=120, unit=" s")
    report("the page of strengths while it fills: p99", 1000 * float(np.percentile(pages, 99)), most=1000, unit=" ms")


def clicking() -> None:
    """Measure from a click to "verified" in a browser."""
    if rival("playwright.sync_api", package="playwright") is None:
        return
    from playwright.sync_api import sync_playwright

    path = os.environ.get("COVEY_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with server() as (client, _), sync_playwright() as playwright:
        shop, spent = demo(client), []
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(base_url=str(client.base_url))
        page.set_default_timeout(300_000)
        for _ in range(2 if QUICK else 6):
            page.goto(f"{shop}/method?guarantee=degree(p=5)")
            begin = time.perf_counter()
            page.get_by_role("button", name="Make the release").click()
            page.locator("#verified").wait_for()
            spent.append(time.perf_counter() - begin)
            page.locator("#attack-chart").wait_for()  # the next job begins when this one was measured
        browser.close()
    report("from a click to verified on the demo data: first", spent[0], unit=" s")
    report("from a click to verified on the demo data, warm: slowest of 5", max(spent[1:]), most=3, unit=" s")


def uploading() -> None:
    """Measure the memory and the speed of a large upload."""
    line = b"bread milk eggs butter apples\n" * (MIB // 30)

    def upload(mib: int) -> None:
        """Send so many mebibytes, and remove them again."""
        edge = b"--edge\r\nContent-Disposition: form-data; name=file; filename=large.dat\r\n\r\n"
        end = b"\r\n--edge--\r\n"
        length = len(edge) + mib * len(line) + len(end)
        head = {"Content-Type": "multipart/form-data; boundary=edge", "Content-Length": str(length)}
        body = itertools.chain([edge], itertools.repeat(line, mib), [end])
        answer = client.post("/upload", content=body, headers=head)
        post(client, f"{answer.headers['location']}/remove")

    with server() as (client, pid):
        upload(1)
        before, begin = resident(pid, "VmRSS"), time.perf_counter()
        upload(UPLOAD)
        spent, grown = time.perf_counter() - begin, resident(pid, "VmHWM") - before
    report(f"{UPLOAD:,} MiB uploaded: growth of the server", grown, most=200, unit=" MiB")
    report(f"{UPLOAD:,} MiB uploaded: speed", UPLOAD / spent, unit=" MiB/s")


def resident(pid: int, what: str) -> float:
    """Return the MiB that a process holds (VmRSS) or held at most (VmHWM)."""
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.split(f"{what}:")[1].split()[0]) / 1024


def web() -> None:
    """Measure all four, one after the other."""
    for part in (polling, exploring, clicking, uploading):
        part()


PARTS = {"web": web}

if __name__ == "__main__":
    main(PARTS)
