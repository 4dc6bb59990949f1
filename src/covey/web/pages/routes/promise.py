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
from covey.parameters import scalar
from covey.web.pages import forms
from covey.web.pages.rendering import CurrentService, PostedForm, go, new_router, promise_query, render, steps
from covey.web.pages.views.original import coarser_chart, risk_view
from covey.web.pages.views.result import write_figure
from covey.web.records.choices import GuaranteeChoice, MethodChoice
from covey.web.records.datasets import FAILED, PENDING, Dataset
from covey.web.server.problems import status_of
from covey.web.server.service import Service

router = new_router()


@router.get("/data/{id}/risk")
def risk_page(id: str, service: CurrentService) -> Response:
    """Step 3: what the data gives away today."""
    shown = _risk(id, service)
    return render("risk.html", steps=steps("risk", data=id, ahead=shown["it"].state != FAILED), **shown)


@router.get("/data/{id}/risk/found")
def risk_found(id: str, service: CurrentService) -> Response:
    """The measured part of step 3, once it is there."""
    shown = _risk(id, service)
    return Response(status_code=204) if shown["risk"].state == PENDING else render("risk_found.html", **shown)


def _risk(id: str, service: Service) -> dict[str, Any]:
    data, risk = service.datasets.get(id), service.exposure.risk(id)
    shown = risk_view(risk, data.kind, by_person="persons" in data.shape)
    return {"it": data, "risk": risk, **shown, "coarser": coarser_chart(data.shape.get("coarser", ()))}


@router.get("/data/{id}/promise")
def promise_page(id: str, request: Request, service: CurrentService, name: str = "") -> Response:
    """Step 4: the promise."""
    data = service.datasets.get(id)
    choices = service.choices.guarantees(id) if data.state != FAILED else []
    chosen = _chosen(choices, name)
    given, sensitive = dict(request.query_params), bool(data.sensitive)
    fields = forms.guarantee_inputs(chosen, given, sensitive=sensitive) if chosen else []
    return render(
        "promise.html",
        counted=_counted(data),
        steps=steps("promise", data=id, ahead=data.state != FAILED),
        it=data,
        choices=choices,
        chosen=chosen,
        intro={c.name: card(guarantee_class(c.name)) for c in choices},
        fields=fields,
        check=_checked(service, data, chosen, {one.name: one.value for one in fields}) if chosen else None,
        measuring=chosen is not None and service.exposure.risk(id).state == PENDING,
    )


@router.get("/data/{id}/promise/ranges")
def promise_ranges(id: str, request: Request, service: CurrentService, name: str = "") -> Response:
    """Hints and feedback anew once it is known how far the data goes; what was typed stays."""
    data, given = service.datasets.get(id), dict(request.query_params)
    measured = service.exposure.risk(id).state != PENDING
    chosen = _chosen(service.choices.guarantees(id), name) if measured else None
    if chosen is None:
        return Response(status_code=204)
    return render(
        "ranges.html",
        fields=forms.guarantee_inputs(chosen, given, sensitive=bool(data.sensitive)),
        check=_checked(service, data, chosen, given),
    )


def _chosen(choices: list[GuaranteeChoice], name: str) -> GuaranteeChoice | None:
    """The one of this name, else the recommended one, else the first."""
    return min(choices, key=lambda one: (one.name != name, not one.recommended), default=None)


@router.get("/data/{id}/promise/check")
def promise_check(id: str, request: Request, service: CurrentService, name: str = "") -> Response:
    """What a promise with these parameters means, or why it cannot be kept."""
    data, chosen = service.datasets.get(id), _chosen(service.choices.guarantees(id), name)
    if chosen is None:
        return Response(status_code=204)
    return render("feedback.html", check=_checked(service, data, chosen, dict(request.query_params)))


def _checked(service: Service, data: Dataset, chosen: GuaranteeChoice, given: Mapping[str, str]) -> dict[str, Any]:
    """Whether the promise can be kept, in words, and a way out where not."""
    try:
        words = service.choices.explain(data.id, forms.guarantee_text(chosen.name, chosen.fields, given))
        message = chosen.blocked or words["problem"]
        if chosen.needs_sensitive and not data.sensitive:
            message = "It protects what is marked as sensitive, and nothing is marked yet."
        if message is None:
            return {"ok": True, **words}
    except CoveyError as error:
        message = str(error)
    return {"ok": False, "message": message, "fix": _way_out(data, chosen, given)}


def _way_out(data: Dataset, chosen: GuaranteeChoice, given: Mapping[str, str]) -> dict[str, str] | None:
    """What would make the promise possible, where there is something: a link, or a form that unmarks items."""
    if chosen.needs_sensitive and not data.sensitive:
        return {"url": f"/data/{data.id}#sensitive", "words": "Mark what is sensitive"}
    if chosen.blocked and data.sensitive and not chosen.needs_sensitive:
        return {"clear": f"/data/{data.id}/sensitive", "name": chosen.name, "words": "Unmark all items"}
    for one in chosen.fields:
        wanted = scalar(given.get(one.name, ""))
        if one.feasible is not None and isinstance(wanted, int | float) and wanted > one.feasible:
            best = f"{one.feasible:g}"
            query = urlencode({**given, "name": chosen.name, one.name: best})
            return {"url": f"/data/{data.id}/promise?{query}#strength", "words": f"Use {one.name} = {best}"}
    return None


@router.get("/data/{id}/method")
def method_page(id: str, request: Request, service: CurrentService, name: str = "", method: str = "") -> Response:
    """Step 5: the method; an impossible promise leads back to step 4."""
    data, chosen = service.datasets.get(id), _chosen(service.choices.guarantees(id), name)
    given = dict(request.query_params)
    if chosen is None or data.state == FAILED:
        return go(request, f"/data/{id}/promise")
    check = _checked(service, data, chosen, given)
    if not check["ok"]:
        return go(request, f"/data/{id}/promise?{request.url.query}#strength")
    methods = service.choices.methods(id, check["text"])
    return _method(service, data, check, methods, _options(_selected(methods, method), given, open=False))


def _method(
    service: Service,
    data: Dataset,
    promise: Mapping[str, Any],
    methods: list[MethodChoice],
    options: Mapping[str, Any],
    *,
    status: int = 200,
    refusal: str = "",
) -> Response:
    query = promise_query(promise["text"])
    return render(
        "method.html",
        status=status,
        steps=steps("method", data=data.id, query=query),
        it=data,
        guarantee=promise["text"],
        short=promise["short"],
        methods=methods,
        differ=card(guarantee_class(promise["text"].partition("(")[0])).differ,
        took=_took(service, data),
        chosen=options["selected"].name,
        back=query,
        refusal=refusal,
        **options,
    )


def _took(service: Service, data: Dataset) -> dict[str, str]:
    """How long each method took when it last made and measured a release of this data."""
    done = [job for job in reversed(service.jobs.all()) if job.dataset == data.id and job.measured]
    return {
        job.method: write_figure(job.finished - job.started, "seconds") for job in done if job.finished and job.started
    }


def _selected(methods: list[MethodChoice], name: str) -> MethodChoice:
    return min(methods, key=lambda one: (one.name != name, not one.recommended))


def _options(selected: MethodChoice, given: Mapping[str, str], *, open: bool) -> dict[str, Any]:
    return {
        "selected": selected,
        "fields": forms.method_inputs(selected, given),
        "seed": given.get("seed", ""),
        "audit": given.get("audit", ""),
        "about": {name: given.get(name, "") for name in forms.ABOUT},
        "open": open,
    }


@router.get("/data/{id}/method/options")
def method_options(id: str, request: Request, service: CurrentService, guarantee: str, method: str = "") -> Response:
    """The options of another method; what is not the method's stays as it was filled in."""
    selected = _selected(service.choices.methods(id, guarantee), method)
    kept = {name: request.query_params.get(name, "") for name in ("seed", "audit", *forms.ABOUT)}
    return render("options.html", **_options(selected, kept, open=False))


@router.post("/data/{id}/start")
def start(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Step 6: start the work; what does not work is told on the form, with all that was filled in."""
    data, guarantee = service.datasets.get(id), form.get("guarantee", "")
    methods = service.choices.methods(id, guarantee)
    selected = _selected(methods, form.get("method", ""))
    try:
        job = service.start(
            id,
            guarantee,
            selected.name,
            options=forms.method_options(selected, form),
            seed=forms.seed_of(form),
            audit=forms.audit_of(form),
            about=forms.about_of(form),
        )
    except CoveyError as error:
        options = _options(selected, form, open=True)
        return _method(
            service,
            data,
            service.choices.explain(id, guarantee),
            methods,
            options,
            status=status_of(error),
            refusal=str(error),
        )
    return go(request, f"/jobs/{job.id}/run")


def _counted(data: Dataset) -> str:
    """What a promise is about as long as nobody says who the persons are; empty where that is known."""
    kind = data_kind(data.kind)
    known = not data.shape or "persons" in data.shape or data.options.get("row_is_person")
    return "" if known or "person" not in kind.option_names() else kind.rows
