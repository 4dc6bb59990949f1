"""A real server in a thread of the test's own process, so that tests can look behind it."""

import threading
from contextlib import contextmanager

import httpx
import uvicorn

from covey.web.app import create_app, listen
from covey.web.settings import Settings
from covey.web.steward import Steward


@contextmanager
def serving(settings: Settings):
    """Yield the steward and a client of its server."""
    steward = Steward(settings)
    sock = listen(settings)
    up = threading.Event()

    class Server(uvicorn.Server):
        async def startup(self, sockets=None):
            await super().startup(sockets=sockets)
            up.set()

    server = Server(uvicorn.Config(create_app(steward), log_level="warning", access_log=False))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [sock]})
    thread.start()
    try:
        assert up.wait(30), "the server did not start"
        base = f"http://127.0.0.1:{sock.getsockname()[1]}"
        with httpx.Client(base_url=base, timeout=60, trust_env=False) as client:
            yield steward, client
    finally:
        server.should_exit = True
        thread.join()
        steward.close()
