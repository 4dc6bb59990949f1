"""The application: the pages behind one guard, and how their errors are shown."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from covey import __version__
from covey.errors import CoveyError
from covey.report.page import style
from covey.web.problems import Full, is_full, status_of
from covey.web.rendering import error_response
from covey.web.routes import data, earlier, explore, promise, result, run, taxonomy
from covey.web.security import Guard
from covey.web.service import Service


def create_app(service: Service) -> Guard:
    """The whole application around a service, which stays the caller's to close."""
    app = FastAPI(title="covey", version=__version__, openapi_url=None)
    app.state.service = service
    for module in (taxonomy, promise, explore, run, result, earlier, data):
        app.include_router(module.router)
    app.get("/static/covey.css")(lambda: Response(style(), media_type="text/css"))
    static = Path(str(files("covey.web"))) / "static"
    app.mount("/static", StaticFiles(directory=static), name="static")
    _add_errors(app)
    return Guard(app, service.settings)


def _add_errors(app: FastAPI) -> None:
    """Show every error as a page, none with a traceback."""

    def of_covey(request: Request, error: Any) -> Response:
        return error_response(request, status_of(error), type(error).__name__, str(error))

    def of_http(request: Request, error: Any) -> Response:
        response = error_response(request, error.status_code, "Not possible", str(error.detail))
        response.headers.update(error.headers or {})
        return response

    def of_form(request: Request, error: Any) -> Response:
        found = error.errors()[0]
        return error_response(request, 422, "Not understood", f"{found['loc'][-1]}: {found['msg']}")

    def of_system(request: Request, error: Any) -> Response:
        if is_full(error):
            return of_covey(request, Full())
        raise error

    def of_departure(request: Request, error: Any) -> Response:
        return error_response(request, 400, "Cut off", "The connection ended before everything had arrived.")

    def of_anything(request: Request, error: Any) -> Response:
        message = "Something went wrong inside covey. The server's output says where."
        return error_response(request, 500, "Fault", message)

    handlers = {CoveyError: of_covey, HTTPException: of_http, RequestValidationError: of_form, OSError: of_system}
    for kind, handler in (handlers | {ClientDisconnect: of_departure, Exception: of_anything}).items():
        app.add_exception_handler(kind, handler)
