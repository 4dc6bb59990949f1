"""Where the server listens, and running it; nothing here needs the extra ``web`` before it runs."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from covey.errors import MissingDependency, OutputError
from covey.web.settings import Settings

if TYPE_CHECKING:
    import uvicorn

#: Seconds that open connections have when the server stops.
GRACE = 3
#: Seconds in which the head of a request must have arrived, once a connection is open or its first byte was sent.
HEAD = 20


def require_web() -> None:
    """Raise `MissingDependency` unless the extra ``web`` is installed."""
    for package in ("fastapi", "uvicorn", "jinja2", "python_multipart"):
        if find_spec(package) is None:
            raise MissingDependency(f"`covey serve` needs {package}: pip install 'covey[web]'.")


def listen(settings: Settings) -> socket.socket:
    """A socket on which the server will answer; port 0 takes a free one."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    try:
        return socket.create_server((settings.host, settings.port), family=family)
    except (OSError, OverflowError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise OutputError(
            f"{settings.host} port {settings.port} cannot be used: {reason}. Choose another with --port, or 0 for any."
        ) from None


def address(settings: Settings, port: int) -> str:
    """Where to point a browser."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    if settings.host in ("0.0.0.0", "::"):
        host = socket.gethostname()
    return f"http://{host}:{port}/" + (f"?token={settings.token}" if settings.token else "")


def configured(app: Any) -> uvicorn.Config:
    """How an ASGI application is served."""
    import h11
    import uvicorn
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Connection(H11Protocol):
        """One that is closed when the head of a request does not come, so that nobody holds it for nothing."""

        head: asyncio.TimerHandle | None = None

        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            self.head = self.loop.call_later(HEAD, self.transport.close)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            if not (self.conn.their_state is h11.IDLE and self.conn.trailing_data[0]):
                self.stop_waiting()
            elif self.head is None:
                self.head = self.loop.call_later(HEAD, self.transport.close)

        def stop_waiting(self) -> None:
            if self.head is not None:
                self.head.cancel()
                self.head = None

        def connection_lost(self, exc: Exception | None) -> None:
            self.stop_waiting()
            super().connection_lost(exc)

    return uvicorn.Config(
        app,
        http=Connection,
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=GRACE,
        h11_max_incomplete_event_size=64 << 10,
    )


def run(app: Any, sock: socket.socket, ready: Callable[[], None]) -> None:
    """Serve an ASGI application until Ctrl-C or SIGTERM; `ready` is called once requests are answered."""
    import uvicorn

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets=sockets)
            if self.started:
                ready()

        @contextmanager
        def capture_signals(self) -> Iterator[None]:
            """Stop quietly, where the library would raise the signal again afterwards."""
            before = {sign: signal.signal(sign, self.handle_exit) for sign in (signal.SIGINT, signal.SIGTERM)}
            try:
                yield
            finally:
                for sign, handler in before.items():
                    signal.signal(sign, handler)

    Server(configured(app)).run(sockets=[sock])
