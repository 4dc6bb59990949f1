"""The trade-off on the page: several strengths and methods at once, and a chart that fills as they are done."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import Response

from covey.errors import CoveyError
from covey.web.pages.rendering import CurrentService, PostedForm, go, new_router, promise_query, render, render_pieces
from covey.web.pages.rendering import steps as step_links
from covey.web.pages.views.trade import trade_view
from covey.web.server.problems import status_of
from covey.web.server.service import Service

router = new_router()

#: The status with which a page is told to ask no more.
STOP = 286


@router.get("/data/{id}/trade")
def trade_page(id: str, service: CurrentService, guarantee: str, risk: str = "") -> Response:
    """What is kept against what is risked, as far as it is known."""
    return _page(service, id, guarantee, risk)


def _page(
    service: Service, id: str, guarantee: str, risk: str = "", *, status: int = 200, refusal: str = "", typed: str = ""
) -> Response:
    data = service.datasets.get(id)
    promise = service.choices.explain(id, guarantee)
    parameter, values, proposed = service.trades.proposed(id, guarantee)
    query = promise_query(promise["text"])
    shown = _shown(service, id, guarantee, risk)
    return render(
        "trade.html",
        status=status,
        steps=step_links("method", data=id, query=query),
        it=data,
        guarantee=promise["text"],
        short=promise["short"],
        parameter=parameter,
        strengths=typed or ", ".join(map(str, values)),
        choices=service.choices.methods(id, guarantee),
        proposed=proposed,
        query=query,
        refusal=refusal,
        **shown,
    )


def _shown(service: Service, id: str, guarantee: str, risk: str) -> dict[str, Any]:
    view = trade_view(service.trades.found(id, guarantee), risk)
    return {"poll": urlencode({"guarantee": guarantee, "risk": view["risk"]}), **view}


@router.get("/data/{id}/trade/found")
def trade_found(id: str, service: CurrentService, guarantee: str, risk: str = "") -> Response:
    """The pieces that change while releases are made and measured."""
    data, shown = service.datasets.get(id), _shown(service, id, guarantee, risk)
    status = 200 if shown["left"] else STOP
    return render_pieces("trade_found.html", status=status, it=data, guarantee=guarantee, **shown)


@router.post("/data/{id}/trade")
def trade_start(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Queue what is missing."""
    guarantee, strengths = form.get("guarantee", ""), form.get("strengths", "")
    methods = [name.removeprefix("method:") for name in form if name.startswith("method:")]
    try:
        if not methods:
            methods = service.trades.proposed(id, guarantee)[2]
        refused = service.trades.start(id, guarantee, strengths, methods)
    except CoveyError as error:
        return _page(service, id, guarantee, status=status_of(error), refusal=str(error), typed=strengths)
    if refused:
        return _page(service, id, guarantee, refusal=" ".join(refused), typed=strengths)
    return go(request, f"/data/{id}/trade?{urlencode({'guarantee': guarantee})}#chart")


@router.post("/data/{id}/trade/stop")
def trade_stop(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Cancel what is still on the way; what is done stays."""
    guarantee = form.get("guarantee", "")
    service.trades.stop(id, guarantee)
    return go(request, f"/data/{id}/trade?{urlencode({'guarantee': guarantee})}#chart")
