"""A real server: in a thread of the test's own process, so that tests can look behind it, or in its own."""

import json
import subprocess
import sys
import threading
from contextlib import contextmanager

import httpx
import uvicorn

from covey.web.app import create_app
from covey.web.listening import configured, listen
from covey.web.service import Service
from covey.web.settings import Settings

#: Seconds after which an answer that has to come is taken not to; nobody waits that long for one that does.
PATIENCE = 240


def client_of(url, **more):
    """A client for the pages below an address."""
    return httpx.Client(base_url=url, timeout=PATIENCE, trust_env=False, verify=False, **more)


@contextmanager
def serving(settings: Settings):
    """Yield the service and a client of its server."""
    service = Service(settings)
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


def read(service, id):
    """A dataset once it has been read, or has turned out to be unreadable."""
    while (data := service.datasets.get(id)).state == "pending":
        service.jobs.wait((data.read or data.look).path)
    return data


def ended(service, id):
    """A release once its job has ended."""
    service.jobs.wait(service.releases.get(id).job.path)
    return service.releases.get(id)


def folder_of(service, id):
    """The folder of a dataset."""
    return service.settings.data / "datasets" / id


def uploaded(served, name, content, kind="", sensitive=(), **options):
    """The dataset that a file becomes, uploaded by the page's form and read as this kind of data."""
    service, client = served
    answer = client.post("/upload", files={"file": (name, content)})
    assert answer.status_code == 303, answer.text
    id = answer.headers["location"].rpartition("/")[2]
    if kind:
        service.datasets.configure(id, kind, options)
    data = read(service, id)
    if sensitive:
        client.post(f"/data/{id}/sensitive/list", data={"list": "\n".join(sensitive)})
        data = service.datasets.get(id)
        assert set(data.sensitive) == set(sensitive)
    return data


def examined(served, id):
    """What was found out about the risk of a dataset."""
    job = served[0].jobs.wait(served[0].datasets.risk(read(served[0], id)).path)
    assert job.state == "done", job.error
    return job.answers[1]


def finished(served, id, guarantee, *, options=None, **form):
    """A release that was started by the page's form, made and measured without a fault."""
    service, client = served
    given = {f"option.{name}": str(value).lower() for name, value in (options or {}).items()}
    answer = client.post(f"/data/{id}/start", data={"guarantee": guarantee, **form, **given})
    assert answer.status_code == 303, answer.text
    release = ended(service, answer.headers["location"].split("/")[2])
    assert (release.job.state, release.holds, release.note) == ("done", True, ""), release.job.error
    assert release.found is not None
    assert all(check["passed"] for check in release.verdict["checks"])
    return release
