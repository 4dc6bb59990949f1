"""Steps 3 to 5 of the page: the risk today, the promise, the method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import Request
from fastapi.responses import Response

from covey.data.kinds import data_kind
from covey.errors import CoveyError
from covey.guarantees import guarantee as parse_guarantee
from covey.guarantees import guarantee_class
from covey.guarantees.words import card
from covey.registry import promise_about
from covey.report.inspection import risk_parts
from covey.tabular import Figures
from covey.web.choices import (
    ABOUT,
    OPTION,
    checked,
    chosen_of,
    guarantee_choices,
    method_choices,
    method_inputs,
    release_order,
)
from covey.web.data import PREPARED, Dataset
from covey.web.jobs import Job
from covey.web.problems import status_of
from covey.web.rendering import CurrentService, PostedForm, go, new_router, promise_query, render, steps
from covey.web.service import Service

router = new_router()

#: Guarantees for which coarser ways to publish are tried, the method that they are for, and how many are shown.
WAYS, ROUNDING, TRIED = ("k-eps-l",), "suppress", 4


@router.get("/data/{id}/risk")
def risk_page(id: str, service: CurrentService) -> Response:
    """Step 3: what the data gives away today."""
    data = service.datasets.get(id)
    risk = service.datasets.risk(data)
    problem = data.problem or (risk.error if risk is not None else "")
    found: Figures = risk.answers[1] if risk is not None and risk.state == "done" else {}
    return render(
        "risk.html",
        steps=steps("risk", data=id, ahead=not problem),
        it=data,
        problem=problem,
        pending=not problem and not found,
        notes=[one["warning"] for one in risk.warnings() if one["type"] == "NearlyUnique"] if risk else [],
        parts=risk_parts(found) if found else [],
        companions=found.get("associations", {}).get("companions", ()),
    )


@router.get("/data/{id}/promise")
def promise_page(id: str, request: Request, service: CurrentService, name: str = "") -> Response:
    """Step 4: the promise; what was typed stays, and is checked."""
    data, given = service.datasets.get(id), dict(request.query_params)
    risk, kind = service.datasets.risk(data), data_kind(data.kind)
    problem = data.problem or (risk.error if risk is not None else "")
    choices = [] if problem or risk is None else guarantee_choices(data, service.datasets.limits(data))
    shown: dict[str, Any] = {"chosen": None}
    if choices:
        chosen = chosen_of(choices, name)
        fields = chosen.inputs(given)
        check = checked(data, chosen, {one.name: one.value for one in fields})
        shown = {"chosen": chosen, "fields": fields, "check": check}
    known = not data.shape or data.by_person or data.choices.options.get("row_is_person")
    return render(
        "promise.html",
        # What a promise is about as long as nobody says who the persons are.
        counted="" if known or "person" not in kind.option_names() else kind.rows,
        steps=steps("promise", data=id, ahead=not problem),
        it=data,
        problem=problem,
        choices=choices,
        measuring=risk is not None and risk.active,
        **shown,
    )


@router.get("/data/{id}/method")
def method_page(id: str, request: Request, service: CurrentService, name: str = "", method: str = "") -> Response:
    """Step 5: the method; an impossible promise leads back to step 4."""
    data, given = service.datasets.get(id), dict(request.query_params)
    if data.state != "ready":
        return go(request, f"/data/{id}/promise")
    if "guarantee" not in given:
        chosen = chosen_of(guarantee_choices(data, service.datasets.limits(data)), name)
        check = checked(data, chosen, given)
        if not check["ok"]:
            return go(request, f"/data/{id}/promise?{request.url.query}#strength")
        given["guarantee"] = check["text"]
    return _method(service, data, given["guarantee"], method, given)


def _method(
    service: Service,
    data: Dataset,
    guarantee: str,
    method: str,
    given: Mapping[str, str],
    *,
    status: int = 200,
    refusal: str = "",
) -> Response:
    entries = method_choices(data, guarantee)
    selected = next((one for one in entries if one.name == method), entries[0])
    # Options that were filled in for another method are not this one's.
    of_other = given.get("options_of", selected.name) != selected.name
    options = {name: value for name, value in given.items() if not (of_other and name.startswith(OPTION))}
    job = None if refusal else _ways(service, data, guarantee)
    return render(
        "method.html",
        status=status,
        steps=steps("method", data=data.id, query=promise_query(guarantee)),
        it=data,
        guarantee=guarantee,
        short="" if refusal else promise_about(guarantee, data.kind, by_person=data.by_person).short,
        methods=entries,
        differ=card(guarantee_class(guarantee.partition("(")[0])).differ,
        took=_took(service, data),
        back=promise_query(guarantee),
        refusal=refusal,
        selected=selected,
        options=method_inputs(selected, options),
        given={name: given.get(name, "") for name in ("seed", "audit", *ABOUT)},
        open=bool(refusal),
        trying=job is not None and job.active,
        ways=_ways_found(guarantee, job),
    )


def _ways(service: Service, data: Dataset, guarantee: str) -> Job | None:
    """Return the job that tries coarser scales, larger epsilons and fewer issues, for guarantees that have these."""
    if data.state != "ready" or parse_guarantee(guarantee).name not in WAYS:
        return None
    text = parse_guarantee(guarantee).text
    return service.datasets.run(
        data, "ways", lambda path: ["check", str(path / PREPARED), "--guarantee", text], guarantee=text
    )


def _ways_found(guarantee: str, job: Job | None) -> list[dict[str, str]]:
    """Return ways to publish ratings, in words, each with the query of the form that it fills in."""
    if job is None or job.state != "done":
        return []
    found = []
    for way in job.answers[1].get("ways", ())[:TRIED]:
        text = parse_guarantee(guarantee).having(epsilon=way["epsilon"]).text
        rounding = {} if way["round"] is None else {f"{OPTION}round": f"{way['round']:g}"}
        # The page leaves no issues out: those that few people rated have to be taken out of the file before.
        query = "" if way["rated_by"] else promise_query(text, method=ROUNDING, options_of=ROUNDING, **rounding)
        found.append({"text": way["text"], "query": query})
    return found


def _took(service: Service, data: Dataset) -> dict[str, str]:
    """Return how long each method took when it last made and measured a release of this data."""
    done = [one for one in reversed(service.releases.all()) if one.dataset == data.id and one.found is not None]
    return {
        one.order.method: f"{one.job.finished - one.job.started:.1f} s"
        for one in done
        if one.job.finished and one.job.started
    }


@router.post("/data/{id}/start")
def start(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Step 6: start the work; errors are shown on the form, with all that was filled in."""
    data, guarantee, method = service.datasets.get(id), form.get("guarantee", ""), form.get("method", "")
    try:
        entries = method_choices(data, guarantee)
        wanted = method or (entries[0].name if entries else "")
        release = service.releases.start(
            data, release_order(data, guarantee, wanted, form, service.datasets.limits(data))
        )
    except CoveyError as error:
        return _method(service, data, guarantee, method, form, status=status_of(error), refusal=str(error))
    return go(request, f"/jobs/{release.id}/run")
