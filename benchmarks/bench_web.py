"""The web server under load: status requests of many clients while a job runs, and a large upload."""

from __future__ import annotations

import asyncio
import http.client
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from ratios import finish, report, rival, with_random_sensitive

CLIENTS = 50
#: Seconds between an answer and the next question of a client; a page asks once a second.
PAUSE = 0.2
SIZE = 1 << 30
MIB = 1 << 20
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
        elif json.loads(body)["state"] not in ("queued", "running", "verifying"):
            until.set()
        await asyncio.sleep(PAUSE)
    writer.close()


async def all_clients(port: int, path: str) -> tuple[list[float], list[str]]:
    """All clients until the job has ended."""
    until, spent, errors = asyncio.Event(), [], []
    await asyncio.gather(*(poll(port, path, until, spent, errors) for _ in range(CLIENTS)))
    return spent, errors


def polling(scratch: Path) -> None:
    """Status requests while a release is made."""
    from covey.io import write
    from covey.synth import quest

    data = with_random_sensitive(quest(transactions=200_000, items=5_000, seed=1), 10, 0)
    write(data, scratch / "quest.dat")
    with server(scratch / "polled", "--root", str(scratch)) as (port, _):
        dataset = call(port, "POST", "/datasets/pick", json.dumps({"path": "quest.dat"}))["id"]
        ready(port, f"/datasets/{dataset}", ("pending",))
        call(port, "PUT", f"/datasets/{dataset}/sensitive", json.dumps(data.sensitive_items()))
        wish = {"dataset": dataset, "guarantee": "degree(p=10)"}
        job = call(port, "POST", "/jobs", json.dumps(wish))["id"]
        spent, errors = asyncio.run(all_clients(port, f"/jobs/{job}"))
        done = call(port, "GET", f"/jobs/{job}")
    assert done["holds"], done["error"]
    print(f"      {len(spent):,} requests of {CLIENTS} clients in {done['finished'] - done['started']:.0f} s")
    report("errors among the status requests", len(errors), most=0, unit="")
    for share in (50, 99):
        most = 200 if share == 99 else None
        name = f"{CLIENTS} clients polling while a job runs: p{share}"
        report(name, 1000 * float(np.percentile(spent, share)), most=most, unit=" ms")


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
    with tempfile.TemporaryDirectory() as scratch:
        polling(Path(scratch))
        uploading(Path(scratch))
    finish()


if __name__ == "__main__":
    main()
