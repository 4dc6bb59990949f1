"""What the routes of the pages take from a request, and how they send a browser elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from covey.web.server.service import Service


def new_router() -> APIRouter:
    """A router for pages: they are no part of the API's description."""
    return APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


def service_of(request: Request) -> Service:
    """The service of this server."""
    service: Service = request.app.state.service
    return service


async def form_of(request: Request) -> Mapping[str, str]:
    """The text fields of a posted form; of a repeated one the last."""
    form = await request.form()
    return {name: value for name, value in form.items() if isinstance(value, str)}


#: Parameters of routes.
CurrentService = Annotated[Service, Depends(service_of)]
PostedForm = Annotated[Mapping[str, str], Depends(form_of)]


def wants_fragment(request: Request) -> bool:
    """Whether a script asked, which puts the answer into the page."""
    return request.headers.get("HX-Request") == "true"


def go(request: Request, url: str) -> Response:
    """Send the browser to another page, also when a script asked."""
    if wants_fragment(request):
        return Response(status_code=204, headers={"HX-Redirect": url})
    return RedirectResponse(url, status_code=303)
