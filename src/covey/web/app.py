"""The application: the pages behind one guard, and how their errors are shown."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from covey import __version__
from covey.errors import CoveyError
from covey.report.charts import CSS
from covey.web.problems import Full, is_full, status_of
from covey.web.rendering import error_response
from covey.web.routes import data, earlier, explore, promise, result, run, trees
from covey.web.security import Guard
from covey.web.service import Service


def create_app(service: Service) -> Guard:
    """The whole application around a service, which stays the caller's to close."""
    app = FastAPI(title="covey", version=__version__, openapi_url=None)
    app.state.service = service
    for module in (trees, promise, explore, run, result, earlier, data):
        app.include_router(module.router)
    app.get("/static/charts.css")(lambda: Response(CSS, media_type="text/css"))
    static = Path(str(files("covey.web"))) / "static"
    app.mount("/static", StaticFiles(directory=static), name="static")
    _add_errors(app)
    return Guard(app, service.settings)


def _add_errors(app: FastAPI) -> None:
    """Show every error as a page, none with a traceback."""

    async def of_covey(request: Request, error: Exception) -> Response:
        assert isinstance(error, CoveyError)
        return error_response(request, status_of(error), type(error).__name__, str(error))

    async def of_http(request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        response = error_response(request, error.status_code, "Not possible", str(error.detail))
        response.headers.update(error.headers or {})
        return response

    async def of_form(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        found = error.errors()
        place = ".".join(str(part) for part in found[0]["loc"][1:]) if found else ""
        message = f"{place}: {found[0]['msg']}" if found and place else str(found[0]["msg"]) if found else ""
        return error_response(request, 422, "Not understood", message)

    async def of_system(request: Request, error: Exception) -> Response:
        if isinstance(error, OSError) and is_full(error):
            return await of_covey(request, Full())
        raise error

    async def of_departure(request: Request, error: Exception) -> Response:
        return error_response(request, 400, "Cut off", "The connection ended before everything had arrived.")

    async def of_anything(request: Request, error: Exception) -> Response:
        message = "Something went wrong inside covey. The server's output says where."
        return error_response(request, 500, "Fault", message)

    app.add_exception_handler(CoveyError, of_covey)
    app.add_exception_handler(HTTPException, of_http)
    app.add_exception_handler(RequestValidationError, of_form)
    app.add_exception_handler(OSError, of_system)
    app.add_exception_handler(ClientDisconnect, of_departure)
    app.add_exception_handler(Exception, of_anything)
