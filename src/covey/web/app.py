"""The application: API and pages behind one guard, and how their errors are told."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from covey import __version__
from covey.errors import CoveyError
from covey.web.api.bodies import Problem
from covey.web.api.routes import PREFIX, add_api
from covey.web.pages.rendering import error_response
from covey.web.pages.routes import data, earlier, groups, promise, result, run, trade, trees
from covey.web.records.room import is_full
from covey.web.server.problems import Full, TaskError, status_of
from covey.web.server.security import Guard, problem_body
from covey.web.server.service import Service

#: The errors that any operation of the API may answer with.
ERRORS = ("400", "401", "403", "404", "405", "409", "413", "421", "422", "500", "501", "503", "507")


def create_app(service: Service) -> Guard:
    """The whole application around a service, which stays the caller's to close."""

    def refuse(path: str, status: int, title: str, message: str) -> tuple[str, bytes]:
        if path.startswith("/api/"):
            return "application/problem+json", problem_body(status, title, message)
        # Nobody who is refused gets to see the pages' style and scripts.
        text = f'<!doctype html><html lang="en"><title>{title}</title><h1>{title}</h1><p>{message}</p></html>'
        return "text/html; charset=utf-8", text.encode()

    return Guard(inner_app(service), service.settings, refuse)


def inner_app(service: Service) -> FastAPI:
    """API and pages without the guard."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        service.prepare()
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
    add_api(router, service)
    app.include_router(router)
    app.state.service = service
    for module in (data, trees, promise, trade, run, result, groups, earlier):
        app.include_router(module.router)
    static = Path(str(files("covey.web.pages"))) / "static"
    app.mount("/static", StaticFiles(directory=static), name="static")
    _add_errors(app)
    _document_errors(app)
    return app


def _add_errors(app: FastAPI) -> None:
    """Every error is told as problem JSON below /api and as a page elsewhere; none with a traceback."""

    def told(request: Request, status: int, title: str, message: str, **more: Any) -> Response:
        if request.url.path.startswith("/api/"):
            body = problem_body(status, title, message, **more)
            return Response(body, status, media_type="application/problem+json")
        return error_response(request, status, title, message)

    async def of_covey(request: Request, error: Exception) -> Response:
        assert isinstance(error, CoveyError)
        cause = error.cause if isinstance(error, TaskError) else type(error).__name__
        best = getattr(error, "best", None)
        return told(request, status_of(error), cause, str(error), **({} if best is None else {"best": best}))

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

    async def of_system(request: Request, error: Exception) -> Response:
        if isinstance(error, OSError) and is_full(error):
            return await of_covey(request, Full())
        raise error

    async def of_departure(request: Request, error: Exception) -> Response:
        return told(request, 400, "Cut off", "The connection ended before everything had arrived.")

    async def of_anything(request: Request, error: Exception) -> Response:
        return told(request, 500, "Fault", "Something went wrong inside covey. The server's output says where.")

    app.add_exception_handler(CoveyError, of_covey)
    app.add_exception_handler(HTTPException, of_http)
    app.add_exception_handler(RequestValidationError, of_form)
    app.add_exception_handler(OSError, of_system)
    app.add_exception_handler(ClientDisconnect, of_departure)
    app.add_exception_handler(Exception, of_anything)


def _document_errors(app: FastAPI) -> None:
    """State the errors in the API's description as they are told."""
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
