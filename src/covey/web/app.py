"""The application: API and pages behind one guard, and the server that runs it."""

from __future__ import annotations

import signal
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING, Any

from covey.errors import CoveyError, MissingDependency, OutputError
from covey.web.settings import Settings

if TYPE_CHECKING:
    from fastapi import FastAPI

    from covey.web.security import Guard
    from covey.web.steward import Steward

#: Seconds that open connections have when the server stops.
GRACE = 3


def require_web() -> None:
    """Raise `MissingDependency` unless the extra ``web`` is installed."""
    from importlib.util import find_spec

    for package in ("fastapi", "uvicorn", "jinja2", "python_multipart"):
        if find_spec(package) is None:
            raise MissingDependency(f"`covey serve` needs {package}: pip install 'covey[web]'.")


def create_app(steward: Steward) -> Guard:
    """The whole application around a steward, which stays the caller's to close."""
    from covey.web.security import Guard, problem_body

    inner = inner_app(steward)

    def refuse(path: str, status: int, title: str, message: str) -> tuple[str, bytes]:
        if path.startswith("/api/"):
            return "application/problem+json", problem_body(status, title, message)
        # Nobody who is refused gets to see the pages' style and scripts.
        text = f'<!doctype html><html lang="en"><title>{title}</title><h1>{title}</h1><p>{message}</p></html>'
        return "text/html; charset=utf-8", text.encode()

    return Guard(inner, steward.settings, refuse)


def inner_app(steward: Steward) -> FastAPI:
    """API and pages without the guard."""
    from fastapi import APIRouter, FastAPI

    from covey import __version__
    from covey.web.api import PREFIX, add_api
    from covey.web.pages import install

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        steward.prepare()
        yield

    app = FastAPI(
        title="covey",
        version=__version__,
        summary="From a file about people to a verified release.",
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,  # the usual pages load their scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
        separate_input_output_schemas=False,
    )
    router = APIRouter(prefix=PREFIX)
    add_api(router, steward)
    app.include_router(router)
    install(app, steward)
    _add_errors(app)
    _document_errors(app)
    return app


def _add_errors(app: FastAPI) -> None:
    """Every error is told as problem JSON below /api and as a page elsewhere; none with a traceback."""
    from fastapi import Request, Response
    from fastapi.exceptions import RequestValidationError
    from starlette.exceptions import HTTPException

    from covey.web.pages import error_response
    from covey.web.problems import Remote, status_of
    from covey.web.security import problem_body

    def told(request: Request, status: int, title: str, message: str, **more: Any) -> Response:
        if request.url.path.startswith("/api/"):
            body = problem_body(status, title, message, **more)
            return Response(body, status, media_type="application/problem+json")
        return error_response(request, status, title, message)

    async def of_covey(request: Request, error: Exception) -> Response:
        assert isinstance(error, CoveyError)
        kind = error.kind if isinstance(error, Remote) else type(error).__name__
        best = getattr(error, "best", None)
        return told(request, status_of(error), kind, str(error), **({} if best is None else {"best": best}))

    async def of_http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        response = told(request, error.status_code, "Not possible", str(error.detail))
        response.headers.update(error.headers or {})
        return response

    async def of_form(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        found = error.errors()
        place = ".".join(str(part) for part in found[0]["loc"][1:]) if found else ""
        message = f"{place}: {found[0]['msg']}" if found and place else str(found[0]["msg"]) if found else ""
        return told(request, 422, "Not understood", message)

    async def of_anything(request: Request, error: Exception) -> Response:
        return told(
            request, 500, "Fault", "Something went wrong inside covey. The server's output says where."
        )

    app.add_exception_handler(CoveyError, of_covey)
    app.add_exception_handler(HTTPException, of_http)
    app.add_exception_handler(RequestValidationError, of_form)
    app.add_exception_handler(Exception, of_anything)


#: The errors that any operation of the API may answer with.
ERRORS = ("400", "401", "403", "404", "405", "409", "413", "421", "422", "500", "501", "503", "507")


def _document_errors(app: FastAPI) -> None:
    """State the errors in the API's description as they are told."""
    from covey.web.api import Problem

    plain: Callable[[], dict[str, Any]] = app.openapi

    def described() -> dict[str, Any]:
        if app.openapi_schema is None:
            schema = plain()
            schema["components"]["schemas"]["Problem"] = Problem.model_json_schema()
            told = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
            for operations in schema["paths"].values():
                for operation in operations.values():
                    for status in ERRORS:
                        operation["responses"][status] = {"description": "An error.", "content": told}
            for unused in ("HTTPValidationError", "ValidationError"):
                schema["components"]["schemas"].pop(unused, None)
            app.openapi_schema = schema
        return app.openapi_schema

    app.openapi = described  # type: ignore[method-assign]


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


def run(steward: Steward, sock: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until Ctrl-C or SIGTERM; `ready` is called once requests are answered."""
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

    config = uvicorn.Config(
        create_app(steward),
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=GRACE,
        h11_max_incomplete_event_size=64 << 10,
    )
    Server(config).run(sockets=[sock])
