"""The web page under load: many clients while two jobs run, a trade-off, a small job in a browser, a large upload.

python benchmarks/bench_web.py [polling] [trading] [clicking] [uploading]
"""

from __future__ import annotations

import asyncio
import http.client
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np

from ratios import finish, report, rival, with_random_sensitive

CLIENTS = 50
#: Seconds between an answer and the next question of a client; a page asks once a second.
PAUSE = 0.2
SIZE = 1 << 30
MIB = 1 << 20
#: How a page asks for the pieces of it that change.
SCRIPT = {"HX-Request": "true"}
FORM = "application/x-www-form-urlencoded"


@contextmanager
def server(folder: Path, *options: str) -> Iterator[tuple[int, int]]:
    """`covey serve` in a process of its own: its port and its number."""
    command = [sys.executable, "-m", "covey", "serve", "--no-browser", "--no-token", "--port", "0", "--json"]
    with subprocess.Popen([*command, "--data", str(folder), *options], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        text = ""
        while not text.endswith("}\n"):
            text += process.stdout.readline()
        port = int(json.loads(text)["url"].rsplit(":", 1)[1].strip("/"))
        try:
            yield port, process.pid
        finally:
            process.terminate()


def send(port: int, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Any:
    """One request: its answer and the text of it; anything but success is an error."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    connection.request(method, path, body, headers or {}, encode_chunked=False)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    if answer.status >= 400:
        raise RuntimeError(f"{method} {path}: {answer.status} {text[:300]!r}")
    return answer, text


def post(port: int, path: str, form: dict[str, str]) -> str:
    """Send a form; returns the page that it leads to."""
    answer, text = send(port, "POST", path, urlencode(form), {"Content-Type": FORM})
    if answer.status != 303:
        raise RuntimeError(f"POST {path}: {answer.status} {text[:300]!r}")
    return str(answer.headers["location"])


def has_been_read(port: int, page: str) -> None:
    """Wait until the file of a page was read."""
    while 'id="state"' not in send(port, "GET", f"{page}/state", headers=SCRIPT)[1]:
        time.sleep(0.1)


async def poll(port: int, path: str, until: asyncio.Event, spent: list[float], errors: list[str]) -> None:
    """One client on one connection, by hand: the client must not be what is slow."""
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHX-Request: true\r\n\r\n".encode()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while not until.is_set():
        begin = time.perf_counter()
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        if head.startswith(b"HTTP/1.1 204"):  # the page is told to show the result
            until.set()
        elif head.startswith(b"HTTP/1.1 200"):
            length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
            await reader.readexactly(length)
            spent.append(time.perf_counter() - begin)
        else:
            errors.append(head.decode())
        await asyncio.sleep(PAUSE)
    writer.close()


async def all_clients(port: int, paths: Sequence[str]) -> tuple[list[float], list[str]]:
    """All clients, each asking for one of the jobs, until the first of these has ended."""
    until, spent, errors = asyncio.Event(), [], []
    asking = (poll(port, paths[place % len(paths)], until, spent, errors) for place in range(CLIENTS))
    await asyncio.gather(*asking)
    return spent, errors


def polling(scratch: Path) -> None:
    """Status requests while two releases are made at the same time."""
    from covey.io import write
    from covey.synth import quest

    data = with_random_sensitive(quest(transactions=200_000, items=5_000, seed=1), 10, 0)
    write(data, scratch / "quest.dat")
    with server(scratch / "polled", "--root", str(scratch), "--jobs", "2") as (port, _):
        page = post(port, "/pick", {"path": "quest.dat"})
        has_been_read(port, page)
        marked = urlencode({"list": "\n".join(data.sensitive_items())})
        send(port, "POST", f"{page}/sensitive/list", marked, {"Content-Type": FORM})
        wish = {"guarantee": "degree(p=10)"}
        jobs = [post(port, f"{page}/start", wish).removesuffix("/run") for _ in range(2)]
        # Until the first has ended, both are under way.
        while any("Waiting for" in send(port, "GET", f"{job}/run")[1] for job in jobs):
            time.sleep(0.1)
        spent, errors = asyncio.run(all_clients(port, [f"{job}/progress" for job in jobs]))
    print(f"      {len(spent):,} requests of {CLIENTS} clients")
    report("errors among the requests for progress", len(errors), most=0, unit="")
    for share in (50, 99):
        most = 200 if share == 99 else None
        name = f"{CLIENTS} clients polling while two jobs run: p{share}"
        report(name, 1000 * float(np.percentile(spent, share)), most=most, unit=" ms")


def demo(port: int) -> str:
    """The page of covey's own demo data, once its risk is known."""
    page = post(port, "/demo", {"name": "shop"})
    has_been_read(port, page)
    while send(port, "GET", f"{page}/risk/found", headers=SCRIPT)[0].status == 204:
        time.sleep(0.1)
    return page


#: What is tried: as many of these as the demo data allows, up to six, with two methods.
STRENGTHS, METHODS, ASKED = (2, 3, 5, 10, 20, 50, 4, 8, 15), ("cahd", "matched"), "degree(p=5)"


def trading(scratch: Path) -> None:
    """Six strengths by two methods on the demo data, and how fast the page answers meanwhile."""
    with server(scratch / "traded") as (port, _):
        page = demo(port)
        allowed = re.search(r"This data allows 2 to ([0-9,]+)", send(port, "GET", f"{page}/promise?name=degree")[1])
        assert allowed is not None
        able = [value for value in STRENGTHS if value <= int(allowed.group(1).replace(",", ""))][:6]
        asked = {"guarantee": ASKED}
        form = {**asked, "strengths": ",".join(map(str, able)), **{f"method:{name}": "on" for name in METHODS}}
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
        begin, pages = time.perf_counter(), []
        connection.request("POST", f"{page}/trade", urlencode(form), {"Content-Type": FORM})
        answer = connection.getresponse()
        assert answer.status in (200, 303), answer.read()
        answer.read()
        status = 0
        while status != 286:
            time.sleep(1)  # as a page does
            start = time.perf_counter()
            connection.request("GET", f"{page}/trade/found?{urlencode(asked)}")
            answer = connection.getresponse()
            shown = answer.read().decode()
            status = answer.status
            pages.append(time.perf_counter() - start)
            assert status in (200, 286), status
        spent = time.perf_counter() - begin
    wanted = len(able) * len(METHODS)
    assert f"{wanted} of {wanted} are measured" in shown, able
    report(f"trade-off of {len(able)} strengths by {len(METHODS)} methods on the demo data", spent, most=120, unit=" s")
    report("its chart while it fills: p99", 1000 * float(np.percentile(pages, 99)), most=1000, unit=" ms")


def clicking(scratch: Path) -> None:
    """From a click to "verified" in a browser, once workers are warm."""
    if rival("playwright.sync_api", package="playwright") is None:
        return
    from playwright.sync_api import sync_playwright

    path = os.environ.get("COVEY_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with server(scratch / "clicked") as (port, _), sync_playwright() as playwright:
        shop = demo(port)
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(base_url=f"http://127.0.0.1:{port}")
        page.set_default_timeout(300_000)
        spent = []
        for _ in range(6):
            page.goto(f"{shop}/method?name=degree&p=5")
            begin = time.perf_counter()
            page.get_by_role("button", name="Make the release").click()
            page.locator("#verified").wait_for()
            spent.append(time.perf_counter() - begin)
            page.locator("#utility").wait_for()  # the next job begins when this one was measured
        browser.close()
    report("from a click to verified on the demo data: first", spent[0], unit=" s")
    report("from a click to verified on the demo data, warm: slowest of 5", max(spent[1:]), most=3, unit=" s")


def lines(size: int) -> Iterator[bytes]:
    """So many bytes of baskets, in pieces, never in one."""
    piece = b"bread milk eggs butter apples\n" * (1 << 15)
    for _ in range(size // len(piece)):
        yield piece
    yield piece[: size % len(piece)]


def resident(pid: int, what: str) -> float:
    """MiB that a process holds (VmRSS) or held at most (VmHWM)."""
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.split(f"{what}:")[1].split()[0]) / 1024


def uploading(scratch: Path) -> None:
    """A large upload."""
    with server(scratch / "uploaded") as (port, pid):
        edge = b"--edge\r\nContent-Disposition: form-data; name=file; filename=large.dat\r\n\r\n"
        end = b"\r\n--edge--\r\n"

        def upload(size: int) -> None:
            """Send so many bytes, and remove them again."""
            length = {"Content-Length": str(len(edge) + size + len(end))}
            head = {"Content-Type": "multipart/form-data; boundary=edge", **length}
            answer, _ = send(port, "POST", "/upload", itertools.chain([edge], lines(size), [end]), head)
            post(port, f"{answer.headers['location']}/remove", {})

        upload(100)
        before = resident(pid, "VmRSS")
        begin = time.perf_counter()
        upload(SIZE)
        spent = time.perf_counter() - begin
        grown = resident(pid, "VmHWM") - before
        report(f"{SIZE // MIB:,} MiB uploaded: growth of the server", grown, most=200, unit=" MiB")
        report(f"{SIZE // MIB:,} MiB uploaded: speed", SIZE / MIB / spent, unit=" MiB/s")


def main() -> None:
    """Print what the server does under load."""
    if rival("fastapi", package="the extra 'web'") is None:
        sys.exit(0)
    parts = {part.__name__: part for part in (polling, trading, clicking, uploading)}
    with tempfile.TemporaryDirectory() as scratch:
        for name in sys.argv[1:] or parts:
            parts[name](Path(scratch))
    finish()


if __name__ == "__main__":
    main()
