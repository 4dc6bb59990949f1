"""Steps 3 to 5 of the page: the risk today, the promise, the method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import Response

from covey.data.kinds import data_kind
from covey.errors import CoveyError
from covey.guarantees import guarantee_class
from covey.guarantees.words import card
from covey.web.choices import (
    ABOUT,
    GuaranteeChoice,
    asked_of,
    checked,
    chosen_of,
    guarantee_choices,
    method_choices,
    method_inputs,
)
from covey.web.data import Dataset
from covey.web.jobs import Job
from covey.web.problems import status_of
from covey.web.rendering import CurrentService, PostedForm, go, new_router, promise_query, render, steps
from covey.web.service import Service
from covey.web.views import risk_view

router = new_router()


def examined(service: Service, data: Dataset) -> Job | None:
    """Return the job that finds out about the risk; None as long as the file is not read."""
    return service.datasets.risk(data) if data.state == "ready" else None


def limits_of(risk: Job | None) -> Mapping[str, Any]:
    """Return how far each guarantee can go; nothing as long as that is not known."""
    return risk.answers[0]["guarantees"] if risk is not None and risk.state == "done" else {}


@router.get("/data/{id}/risk")
def risk_page(id: str, service: CurrentService) -> Response:
    """Step 3: what the data gives away today."""
    shown = _risk(id, service)
    return render("risk.html", steps=steps("risk", data=id, ahead=not shown["problem"]), **shown)


@router.get("/data/{id}/risk/found")
def risk_found(id: str, service: CurrentService) -> Response:
    """The measured part of step 3, once it is there."""
    shown = _risk(id, service)
    return Response(status_code=204) if shown["pending"] else render("risk_found.html", **shown)


def _risk(id: str, service: Service) -> dict[str, Any]:
    data = service.datasets.get(id)
    risk = examined(service, data)
    problem = data.problem or (risk.error if risk is not None else "")
    done = risk is not None and risk.state == "done"
    return {
        "it": data,
        "problem": problem,
        "pending": not problem and not done,
        "notes": [one["warning"] for one in risk.warnings() if one["type"] == "NearlyUnique"] if risk else [],
        "view": risk_view(data, risk.answers[0]) if risk is not None and done else None,
    }


@router.get("/data/{id}/promise")
def promise_page(id: str, request: Request, service: CurrentService, name: str = "") -> Response:
    """Step 4: the promise."""
    data = service.datasets.get(id)
    risk = examined(service, data)
    problem = data.problem or (risk.error if risk is not None else "")
    choices = [] if problem or risk is None else guarantee_choices(data, limits_of(risk))
    chosen = chosen_of(choices, name) if choices else None
    shown: dict[str, Any] = {"chosen": None}
    if chosen is not None:
        fields = chosen.inputs(dict(request.query_params), sensitive=bool(data.sensitive))
        shown = {"chosen": chosen, "fields": fields, "name": chosen.name}
        shown["check"] = _checked(data, chosen, {one.name: one.value for one in fields})
    return render(
        "promise.html",
        counted=_counted(data),
        steps=steps("promise", data=id, ahead=not problem),
        it=data,
        problem=problem,
        choices=choices,
        measuring=risk is not None and risk.active,
        **shown,
    )


@router.get("/data/{id}/promise/ranges")
def promise_ranges(id: str, request: Request, service: CurrentService, name: str = "") -> Response:
    """Hints and feedback anew once it is known how far the data goes; what was typed stays."""
    data, given = service.datasets.get(id), dict(request.query_params)
    risk = examined(service, data)
    if risk is None or risk.active:
        return Response(status_code=204)
    chosen = chosen_of(guarantee_choices(data, limits_of(risk)), name)
    fields = chosen.inputs(given, sensitive=bool(data.sensitive))
    return render("ranges.html", fields=fields, check=_checked(data, chosen, given))


@router.get("/data/{id}/promise/check")
def promise_check(id: str, request: Request, service: CurrentService, name: str = "") -> Response:
    """What a promise with these parameters means, or why it cannot be kept."""
    data = service.datasets.get(id)
    chosen = chosen_of(guarantee_choices(data, limits_of(examined(service, data))), name)
    return render("feedback.html", check=_checked(data, chosen, dict(request.query_params)))


def _checked(data: Dataset, chosen: GuaranteeChoice, given: Mapping[str, str]) -> dict[str, Any]:
    """Return whether the promise can be kept, in words, and where to go if not."""
    found = checked(data, chosen, given)
    fix = found.get("fix") or {}
    if fix:
        query = urlencode({**given, "name": chosen.name, fix["to"]: fix.get("value", "")})
        urls = {"mark": f"/data/{data.id}#sensitive", "unmark": f"/data/{data.id}/sensitive/clear?name={chosen.name}"}
        found["fix"] = {**fix, "url": urls.get(fix["to"], f"/data/{data.id}/promise?{query}#strength")}
    return found


@router.get("/data/{id}/method")
def method_page(id: str, request: Request, service: CurrentService, name: str = "", method: str = "") -> Response:
    """Step 5: the method; an impossible promise leads back to step 4."""
    data, given = service.datasets.get(id), dict(request.query_params)
    if data.state != "ready":
        return go(request, f"/data/{id}/promise")
    chosen = chosen_of(guarantee_choices(data, limits_of(examined(service, data))), name)
    check = _checked(data, chosen, given)
    if not check["ok"]:
        return go(request, f"/data/{id}/promise?{request.url.query}#strength")
    return _method(service, data, check["text"], check["short"], method, given)


def _method(
    service: Service,
    data: Dataset,
    guarantee: str,
    short: str,
    method: str,
    given: Mapping[str, str],
    *,
    status: int = 200,
    refusal: str = "",
) -> Response:
    query = promise_query(guarantee)
    return render(
        "method.html",
        status=status,
        steps=steps("method", data=data.id, query=query),
        it=data,
        guarantee=guarantee,
        short=short,
        methods=method_choices(data, guarantee),
        differ=card(guarantee_class(guarantee.partition("(")[0])).differ,
        took=_took(service, data),
        back=query,
        refusal=refusal,
        **_options(data, guarantee, method, given, open=bool(refusal)),
    )


def _took(service: Service, data: Dataset) -> dict[str, str]:
    """Return how long each method took when it last made and measured a release of this data."""
    done = [one for one in reversed(service.releases.all()) if one.dataset == data.id and one.found is not None]
    return {
        one.asked.method: f"{one.job.finished - one.job.started:.1f} s"
        for one in done
        if one.job.finished and one.job.started
    }


def _options(data: Dataset, guarantee: str, method: str, given: Mapping[str, str], *, open: bool) -> dict[str, Any]:
    entries = method_choices(data, guarantee)
    selected = next((one for one in entries if one.name == method), entries[0])
    return {
        "selected": selected,
        "options": method_inputs(selected, given),
        "seed": given.get("seed", ""),
        "audit": given.get("audit", ""),
        "about": {name: given.get(name, "") for name in ABOUT},
        "open": open,
    }


@router.get("/data/{id}/method/options")
def method_options(id: str, request: Request, service: CurrentService, guarantee: str, method: str = "") -> Response:
    """The options of another method; what is not the method's stays as it was filled in."""
    kept = {name: request.query_params.get(name, "") for name in ("seed", "audit", *ABOUT)}
    return render("options.html", **_options(service.datasets.get(id), guarantee, method, kept, open=False))


@router.post("/data/{id}/start")
def start(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Step 6: start the work; what does not work is told on the form, with all that was filled in."""
    data, guarantee, method = service.datasets.get(id), form.get("guarantee", ""), form.get("method", "")
    try:
        entries = method_choices(data, guarantee)
        wanted = method or (entries[0].name if entries else "")
        asked = asked_of(data, guarantee, wanted, form, limits_of(examined(service, data)))
        release = service.releases.start(data, asked)
    except CoveyError as error:
        refusal, status = str(error), status_of(error)
        return _method(service, data, guarantee, "", method, form, status=status, refusal=refusal)
    return go(request, f"/jobs/{release.id}/run")


def _counted(data: Dataset) -> str:
    """Return what a promise is about as long as nobody says who the persons are; empty where that is known."""
    kind = data_kind(data.kind)
    known = not data.shape or data.by_person or data.choices.options.get("row_is_person")
    return "" if known or "person" not in kind.option_names() else kind.rows
