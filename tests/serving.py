"""A real server: in a thread of the test's own process, so that tests can look behind it, or in its own."""

import json
import subprocess
import sys
import threading
from contextlib import contextmanager

import httpx
import uvicorn

from covey.web.app import create_app
from covey.web.server.listening import configured, listen
from covey.web.server.service import Service
from covey.web.server.settings import Settings

#: Seconds after which an answer that has to come is taken not to; nobody waits that long for one that does.
PATIENCE = 240


def client_of(url, **more):
    """A client for the pages below an address."""
    return httpx.Client(base_url=url, timeout=PATIENCE, trust_env=False, **more)


@contextmanager
def serving(settings: Settings, workers=None):
    """Yield the service and a client of its server; with `workers`, these do the work and go on afterwards."""
    service = Service(settings, workers)
    sock = listen(settings)
    up = threading.Event()

    class Server(uvicorn.Server):
        async def startup(self, sockets=None):
            await super().startup(sockets=sockets)
            up.set()

    server = Server(configured(create_app(service)))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]})
    thread.start()
    try:
        assert up.wait(PATIENCE), "the server did not start"
        with client_of(f"http://127.0.0.1:{sock.getsockname()[1]}") as client:
            yield service, client
    finally:
        server.should_exit = True
        thread.join()
        service.close()


@contextmanager
def serving_apart(folder, *options):
    """`covey serve` as its users run it; yields what it prints when it is ready, and its process."""
    command = [sys.executable, "-m", "covey", "serve", "--no-browser", "--port", "0", "--json"]
    process = subprocess.Popen(
        [*command, "--data", str(folder), *map(str, options)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        text = ""
        while not text.endswith("}\n"):
            line = process.stdout.readline()
            assert line, process.stderr.read()
            text += line
        yield json.loads(text), process
    finally:
        process.terminate()
        process.communicate(timeout=PATIENCE)


def text_of(answer, status=200):
    """The text of an answer that has this status."""
    assert answer.status_code == status, answer.text
    return answer.text


def given(service, name, content, kind=None, sensitive=()):
    """The dataset that a file becomes, once it was read, as this kind of data and with these marks."""
    arrived = service.settings.incoming / "arrived"
    arrived.write_bytes(content)
    id = service.datasets.upload(name, arrived).id
    if kind:
        service.datasets.configure(id, kind=kind, options={})
    read = service.datasets.wait(id)
    if sensitive:
        service.sensitive.mark(id, sensitive)
    return read


def uploaded(served, name, content):
    """The id of a file that was uploaded by the page's form, once it was read."""
    service, client = served
    answer = client.post("/upload", files={"file": (name, content)})
    assert answer.status_code == 303, answer.text
    id = answer.headers["location"].rpartition("/")[2]
    service.datasets.wait(id)
    return id


def demo_of(served, name):
    """The id of generated data that was asked for on the page, once it was read."""
    service, client = served
    id = client.post("/demo", data={"name": name}).headers["location"].rpartition("/")[2]
    service.datasets.wait(id)
    return id


def finished(served, dataset, guarantee, *, options=None, **form):
    """A job that was started by the page's form, made and measured without a fault."""
    service, client = served
    given = {f"option.{name}": str(value).lower() for name, value in (options or {}).items()}
    answer = client.post(f"/data/{dataset}/start", data={"guarantee": guarantee, **form, **given})
    assert answer.status_code == 303, answer.text
    job = service.jobs.wait(answer.headers["location"].split("/")[2])
    assert (job.state, job.holds, job.measured, job.note) == ("done", True, True, None), job.error
    assert job.checks
    assert all(check.passed for check in job.checks)
    return job
