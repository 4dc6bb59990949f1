"""The trade-off on the page: what `covey explore` finds about several strengths and methods."""

from __future__ import annotations

import hashlib
import json
from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import Response

from covey.errors import CoveyError, ParameterError
from covey.guarantees import guarantee as parse_guarantee
from covey.parameters import scalar
from covey.web.choices import method_choices
from covey.web.data import Dataset
from covey.web.jobs import Job
from covey.web.problems import status_of
from covey.web.rendering import CurrentService, PostedForm, go, new_router, promise_query, render, render_pieces, steps
from covey.web.routes.promise import examined, limits_of
from covey.web.service import Service
from covey.web.views import explored, explored_chart

router = new_router()

#: Strengths that are proposed beside the one that is asked for.
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
    entries = method_choices(data, promise.text)
    most = limits_of(examined(service, data)).get(promise.name, {}).get("largest", {})
    parameter = promise.strength
    values = sorted({*LADDER, getattr(promise, parameter)})
    allowed = [value for value in values if value <= most.get(parameter, value)]
    job = _latest(service, data, promise.text)
    asked = {} if job is None else job.asked
    query = promise_query(promise.text)
    return render(
        "explore.html",
        status=status,
        steps=steps("method", data=data.id, query=query),
        parameter=parameter,
        strengths=typed or asked.get("strengths") or ", ".join(map(str, allowed)),
        choices=entries,
        proposed=asked.get("methods") or [entry.name for entry in entries[:2]],
        query=query,
        refusal=refusal,
        **_shown(data, promise.text, job),
    )


def _shown(data: Dataset, guarantee: str, job: Job | None) -> dict[str, Any]:
    """Return what is known by now."""
    found = job.answers[0] if job is not None and job.state == "done" else None
    return {
        "it": data,
        "guarantee": guarantee,
        "job": job,
        "found": found,
        "rows": [] if found is None else explored(found),
        "chart": None if found is None else explored_chart(found),
        "queries": {}
        if found is None
        else {one["guarantee"]: promise_query(one["guarantee"]) for one in found["points"]},
    }


def _latest(service: Service, data: Dataset, guarantee: str) -> Job | None:
    """Return the job that explored a promise for the data as it is now; None if there is none."""
    found = service.datasets.folder_of(data.id).glob(f"{_prefix(data, guarantee)}*/job.json")
    newest = max(found, key=lambda file: file.stat().st_mtime, default=None)
    return None if newest is None else service.jobs.get(newest.parent)


def _prefix(data: Dataset, guarantee: str) -> str:
    text = f"{data.choices.digest(data.kind, 'risk')} {guarantee}"
    return f"explore-{hashlib.sha256(text.encode()).hexdigest()[:12]}"


@router.get("/data/{id}/explore/found")
def explore_found(id: str, service: CurrentService, guarantee: str) -> Response:
    """The pieces that change while releases are tried."""
    data = service.datasets.get(id)
    return render_pieces("explore_found.html", **_shown(data, guarantee, _latest(service, data, guarantee)))


@router.post("/data/{id}/explore")
def explore_start(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Try what is asked for."""
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
    wanted = hashlib.sha256(json.dumps([typed, chosen]).encode()).hexdigest()[:8]
    asked = {"strengths": typed, "methods": chosen}

    def steps_in(path: Any) -> list[list[str]]:
        words = [*service.datasets.marked(data, path), "--guarantee", promise.text]
        words += [word for name in chosen for word in ("--method", name)]
        run = ["covey.web.reading", str(path), data.choices.path]
        return [[*run, "explore", *words, "--strengths", typed.replace(" ", ""), "--jobs", "1", "--json"]]

    name = f"{_prefix(data, promise.text)}{wanted}"
    service.datasets.job(data.id, name, data.choices, steps_in, quick=False, **asked)
    return go(request, f"/data/{id}/explore?{urlencode({'guarantee': promise.text})}#chart")


@router.post("/data/{id}/explore/stop")
def explore_stop(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Stop trying."""
    data, guarantee = service.datasets.get(id), form.get("guarantee", "")
    job = _latest(service, data, guarantee)
    if job is not None:
        service.jobs.cancel(job.path)
    return go(request, f"/data/{id}/explore?{urlencode({'guarantee': guarantee})}#chart")
