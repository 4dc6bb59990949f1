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
    """A client for the pages and the API below an address."""
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


class Api:
    """Calls that must succeed."""

    def __init__(self, client):
        self.client = client

    def __call__(self, method, path, status=200, **more):
        answer = self.client.request(method, f"/api/v1{path}", **more)
        assert answer.status_code == status, answer.text
        assert answer.headers["cache-control"] == "no-store"
        return answer.json() if answer.headers["content-type"].endswith("json") else answer


def finished(served, api, dataset, guarantee, **more):
    """A job that was made and measured over the API, without a fault."""
    job = api("POST", "/jobs", 201, json={"dataset": dataset, "guarantee": guarantee, **more})
    served[0].jobs.wait(job["id"])
    job = api("GET", f"/jobs/{job['id']}")
    assert (job["state"], job["holds"], job["measured"], job["note"]) == ("done", True, True, None), job["error"]
    assert job["checks"]
    assert all(check["passed"] for check in job["checks"])
    return job
