"""Adding the pages to an application."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from fastapi import FastAPI
from fastapi.staticfiles import StaticFiles

from covey.web.pages.routes import data, earlier, promise, result, run
from covey.web.server.service import Service


def install(app: FastAPI, service: Service) -> None:
    """Add the pages to an application.

    Parameters
    ----------
    app : FastAPI
        The API's application.
    service : Service
        What the pages call.
    """
    app.state.service = service
    static = Path(str(files("covey.web.pages"))) / "static"
    app.mount("/static", StaticFiles(directory=static), name="static")
    for module in (data, promise, run, result, earlier):
        app.include_router(module.router)
