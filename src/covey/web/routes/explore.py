"""The trade-off on the page: what `covey explore` finds about several strengths and methods."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import Response

from covey.errors import CoveyError, ParameterError
from covey.guarantees import guarantee as parse_guarantee
from covey.parameters import scalar
from covey.web.choices import method_choices
from covey.web.data import PREPARED, Dataset
from covey.web.problems import status_of
from covey.web.rendering import CurrentService, PostedForm, go, new_router, promise_query, render, steps
from covey.web.service import Service
from covey.web.views import explored_part

router = new_router()

#: Strengths that are proposed beside the one that is details for.
LADDER = (2, 3, 5, 10, 20, 50)


@router.get("/data/{id}/explore")
def explore_page(id: str, service: CurrentService, guarantee: str) -> Response:
    """What is kept against what is risked, as far as it is known."""
    return _page(service, service.datasets.get(id), guarantee)


def _page(
    service: Service, data: Dataset, guarantee: str, *, status: int = 200, refusal: str = "", typed: str = ""
) -> Response:
    data.require_ready()
    promise = parse_guarantee(guarantee)
    entries, query = method_choices(data, promise.text), promise_query(promise.text)
    most = service.datasets.limits(data).get(promise.name, {}).get("largest", {})
    values = sorted({*LADDER, getattr(promise, promise.strength)})
    allowed = [value for value in values if value <= most.get(promise.strength, value)]
    job = service.datasets.latest(data, "explore", guarantee=promise.text)
    details = {} if job is None else job.details
    found = job.answers[1] if job is not None and job.state == "done" else None
    return render(
        "explore.html",
        status=status,
        steps=steps("method", data=data.id, query=query),
        it=data,
        guarantee=promise.text,
        parameter=promise.strength,
        strengths=typed or details.get("strengths") or ", ".join(map(str, allowed)),
        choices=entries,
        proposed=details.get("methods") or [entry.name for entry in entries[:2]],
        query=query,
        refusal=refusal,
        job=job,
        found=found,
        chart=None if found is None else explored_part(found),
        queries={} if found is None else {one["guarantee"]: promise_query(one["guarantee"]) for one in found["points"]},
    )


@router.post("/data/{id}/explore")
def explore_start(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Try the strengths and methods of the form."""
    data, guarantee, typed = service.datasets.get(id), form.get("guarantee", ""), form.get("strengths", "")
    try:
        data.require_ready()
        promise = parse_guarantee(guarantee)
        able = [one.name for one in method_choices(data, guarantee)]
        chosen = [name for name in able if form.get(f"method:{name}")] or able[:2]
        if not typed.strip():
            raise ParameterError("Say which values to try, such as 2, 5, 10.")
        for value in typed.split(","):
            promise.having(**{promise.strength: scalar(value.strip())})
    except CoveyError as error:
        return _page(service, data, guarantee, status=status_of(error), refusal=str(error), typed=typed)
    details: dict[str, Any] = {"guarantee": promise.text, "strengths": typed, "methods": chosen}
    words = [word for name in chosen for word in ("--method", name)]
    words += [*data.choices.along(data.kind), "--strengths", typed.replace(" ", ""), "--jobs", "1"]

    def explore(path: Path) -> list[str]:
        return ["explore", str(path / PREPARED), "--guarantee", promise.text, *words]

    service.datasets.run(data, "explore", explore, quick=False, **details)
    return go(request, f"/data/{id}/explore?{urlencode({'guarantee': promise.text})}#chart")


@router.post("/data/{id}/explore/stop")
def explore_stop(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Stop trying."""
    guarantee = form.get("guarantee", "")
    job = service.datasets.latest(service.datasets.get(id), "explore", guarantee=guarantee)
    if job is not None:
        service.jobs.cancel(job.path)
    return go(request, f"/data/{id}/explore?{urlencode({'guarantee': guarantee})}#chart")
