"""The web page under load: many clients while two jobs run, a trade-off, a small job in a browser, a large upload.

python benchmarks/bench_web.py [polling] [trading] [clicking] [uploading]
"""

from __future__ import annotations

import asyncio
import http.client
import json
import os
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
#: The states of a job that has not ended.
UNDER_WAY = ("queued", "running", "verifying")
OCTETS = {"Content-Type": "application/octet-stream"}


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


def call(port: int, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Any:
    """One request; anything but success is an error."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
    given = headers or {"Content-Type": "application/json"}
    connection.request(method, f"/api/v1{path}", body, given, encode_chunked=False)
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    if answer.status >= 300:
        raise RuntimeError(f"{method} {path}: {answer.status} {text[:300]!r}")
    return json.loads(text) if text else None


def ready(port: int, path: str, still: tuple[str, ...]) -> Any:
    """Ask until a state is final."""
    while (found := call(port, "GET", path))["state"] in still:
        time.sleep(0.1)
    return found


async def poll(port: int, path: str, until: asyncio.Event, spent: list[float], errors: list[str]) -> None:
    """One client on one connection, by hand: the client must not be what is slow."""
    request = f"GET /api/v1{path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    while not until.is_set():
        begin = time.perf_counter()
        writer.write(request)
        head = await reader.readuntil(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        body = await reader.readexactly(length)
        spent.append(time.perf_counter() - begin)
        if not head.startswith(b"HTTP/1.1 200"):
            errors.append(head.decode())
        elif json.loads(body)["state"] not in UNDER_WAY:
            until.set()
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
        dataset = call(port, "POST", "/datasets/pick", json.dumps({"path": "quest.dat"}))["id"]
        ready(port, f"/datasets/{dataset}", ("pending",))
        call(port, "PUT", f"/datasets/{dataset}/sensitive", json.dumps(data.sensitive_items()))
        wish = {"dataset": dataset, "guarantee": "degree(p=10)"}
        jobs = [call(port, "POST", "/jobs", json.dumps(wish))["id"] for _ in range(2)]
        # Until the first has ended, both are under way.
        while any(call(port, "GET", f"/jobs/{job}")["state"] == "queued" for job in jobs):
            time.sleep(0.1)
        spent, errors = asyncio.run(all_clients(port, [f"/jobs/{job}" for job in jobs]))
        done = [ready(port, f"/jobs/{job}", UNDER_WAY) for job in jobs]
    assert all(job["holds"] for job in done), done
    print(f"      {len(spent):,} requests of {CLIENTS} clients")
    report("errors among the status requests", len(errors), most=0, unit="")
    for share in (50, 99):
        most = 200 if share == 99 else None
        name = f"{CLIENTS} clients polling while two jobs run: p{share}"
        report(name, 1000 * float(np.percentile(spent, share)), most=most, unit=" ms")


def demo(port: int) -> str:
    """The id of the page's own demo data, once its risk is known."""
    dataset = str(call(port, "POST", "/datasets/demo", json.dumps({}))["id"])
    ready(port, f"/datasets/{dataset}", ("pending",))
    ready(port, f"/datasets/{dataset}/risk", ("pending",))
    return dataset


#: What is tried: as many of these as the demo data allows, up to six, with two methods.
STRENGTHS, METHODS, ASKED = (2, 3, 5, 10, 20, 50, 4, 8, 15), ("cahd", "matched"), "degree(p=5)"


def trading(scratch: Path) -> None:
    """Six strengths by two methods on the demo data, and how fast the page answers meanwhile."""
    with server(scratch / "traded") as (port, _):
        dataset = demo(port)
        [promise] = [one for one in call(port, "GET", f"/datasets/{dataset}/guarantees") if one["name"] == "degree"]
        able = [value for value in STRENGTHS if value <= promise["fields"][0]["feasible"]][:6]
        asked = {"guarantee": ASKED}
        form = {**asked, "strengths": ",".join(map(str, able)), **{f"method:{name}": "on" for name in METHODS}}
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=600)
        head = {"Content-Type": "application/x-www-form-urlencoded"}
        begin, pages = time.perf_counter(), []
        connection.request("POST", f"/data/{dataset}/trade", urlencode(form), head)
        answer = connection.getresponse()
        assert answer.status in (200, 303), answer.read()
        answer.read()
        status = 0
        while status != 286:
            time.sleep(1)  # as a page does
            start = time.perf_counter()
            connection.request("GET", f"/data/{dataset}/trade/found?{urlencode(asked)}")
            answer = connection.getresponse()
            answer.read()
            status = answer.status
            pages.append(time.perf_counter() - start)
            assert status in (200, 286), status
        spent = time.perf_counter() - begin
        points = call(port, "GET", f"/datasets/{dataset}/trade?{urlencode(asked)}")["points"]
    assert len(points) == len(able) * len(METHODS), [len(points), able]
    report(f"trade-off of {len(able)} strengths by {len(METHODS)} methods on the demo data", spent, most=120, unit=" s")
    report("its chart while it fills: p99", 1000 * float(np.percentile(pages, 99)), most=1000, unit=" ms")


def clicking(scratch: Path) -> None:
    """From a click to "verified" in a browser, once workers are warm."""
    if rival("playwright.sync_api", package="playwright") is None:
        return
    from playwright.sync_api import sync_playwright

    path = os.environ.get("COVEY_CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    with server(scratch / "clicked") as (port, _), sync_playwright() as playwright:
        dataset = demo(port)
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(base_url=f"http://127.0.0.1:{port}")
        page.set_default_timeout(300_000)
        spent = []
        for _ in range(6):
            page.goto(f"/data/{dataset}/method?name=degree&p=5")
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
    """A large upload, by itself and in a form."""
    with server(scratch / "uploaded") as (port, pid):
        call(port, "DELETE", f"/datasets/{call(port, 'POST', '/datasets?name=a.dat', b'a b', OCTETS)['id']}")
        edge = b"--edge\r\nContent-Disposition: form-data; name=file; filename=b.dat\r\n\r\n"
        end = b"\r\n--edge--\r\n"
        form = {"Content-Type": "multipart/form-data; boundary=edge"}
        for name, head, tail, kind, size in (
            ("by itself", b"", b"", OCTETS, SIZE),
            ("in a form", edge, end, form, SIZE),
        ):

            def body(head: bytes = head, tail: bytes = tail, size: int = size) -> Iterator[bytes]:
                yield head
                yield from lines(size)
                yield tail

            before = resident(pid, "VmRSS")
            begin = time.perf_counter()
            length = {"Content-Length": str(len(head) + size + len(tail))}
            made = call(port, "POST", "/datasets?name=large.dat", body(), {**kind, **length})
            spent = time.perf_counter() - begin
            call(port, "DELETE", f"/datasets/{made['id']}")
            assert made["size"] == size
            grown = resident(pid, "VmHWM") - before
            report(f"{size // MIB:,} MiB uploaded {name}: growth of the server", grown, most=200, unit=" MiB")
            report(f"{size // MIB:,} MiB uploaded {name}: speed", size / MIB / spent, unit=" MiB/s")


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
