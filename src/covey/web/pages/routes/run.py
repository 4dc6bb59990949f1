"""Step 6 of the page: the work under way."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

from fastapi import Request
from fastapi.responses import Response

from covey.release.about import About
from covey.web.pages.rendering import CurrentService, go, new_router, promise_query, render, render_pieces, steps
from covey.web.pages.words import STAGES
from covey.web.records.jobs import Job
from covey.web.server.problems import Conflict, NotFound
from covey.web.server.service import Service

router = new_router()

#: The stages of making a release, and the share of the bar that is full when each begins.
PARTS = (
    ("Reading", ("reading",), 0),
    ("Anonymizing", ("ordering", "searching", "grouping", "generalizing", "suppressing"), 20),
    ("Writing", ("publishing", "writing"), 65),
    ("Verifying", ("verifying",), 80),
)


#: The share of the bar that is full as soon as work has begun, so that there is a bar to be seen.
LEAST = 2


@router.get("/jobs/{id}/run")
def run_page(id: str, request: Request, service: CurrentService) -> Response:
    """Step 6: the work under way; once it is done, the result."""
    job = service.jobs.get(id)
    if job.holds:
        return go(request, f"/jobs/{id}")
    return render("run.html", steps=steps_of("run", job, original_of(service, job)), **_progress(job))


@router.get("/jobs/{id}/progress")
def progress(id: str, request: Request, service: CurrentService) -> Response:
    """The pieces of step 6 that change; once it is over, another page."""
    job = service.jobs.get(id)
    if job.holds or not job.active:
        return go(request, f"/jobs/{id}" if job.holds else f"/jobs/{id}/run", replace=True)
    return render_pieces("progress.html", **_progress(job))


def _progress(job: Job) -> dict[str, Any]:
    """How far a job has come, as one bar and a list of stages."""
    place = next((at for at, (_, names, _) in enumerate(PARTS) if job.stage in names), -1)
    if job.state == "verifying":
        place = len(PARTS) - 1
    overall = None
    if place >= 0:
        begin = PARTS[place][2]
        end = PARTS[place + 1][2] if place + 1 < len(PARTS) else 100
        overall = max(round(begin + (end - begin) * min(max(job.fraction, 0.0), 1.0)), LEAST)
    listed = [
        {"words": words, "state": "past" if at < place else "now" if at == place else "next"}
        for at, (words, _, _) in enumerate(PARTS)
    ]
    return {
        "job": job,
        "stage": STAGES.get(job.stage, "Starting"),
        "overall": overall,
        "elapsed": _elapsed(job, time.time()),
        "stages": listed,
        "again": {"promise": f"/data/{job.dataset}/promise?{promise_query(job.guarantee)}#strength"},
    }


def _elapsed(job: Job, now: float) -> str:
    """How long a job has waited, or has been running.

    Examples
    --------
    >>> about = {"id": "", "dataset": "", "name": "", "kind": "baskets", "guarantee": "", "method": ""}
    >>> _elapsed(Job(**about, created=100.0), 104.2), _elapsed(Job(**about, started=101.0), 226.0)
    ('Waiting for 4 s.', 'Running for 2 min 5 s.')
    """
    seconds = max(0, int(now - (job.started or job.created)))
    minutes, rest = divmod(seconds, 60)
    text = f"{minutes:,} min {rest} s" if minutes else f"{rest} s"
    return f"{'Running' if job.started else 'Waiting'} for {text}."


@router.post("/jobs/{id}/cancel")
def cancel(id: str, request: Request, service: CurrentService) -> Response:
    """Stop the work; whoever comes too late, or presses twice, is shown what became of it."""
    with suppress(Conflict):
        service.jobs.cancel(id)
    return go(request, f"/jobs/{id}/run")


@router.post("/jobs/{id}/again")
def again(id: str, request: Request, service: CurrentService) -> Response:
    """Do the same once more."""
    job = service.jobs.get(id)
    about = About(**job.about)
    new = service.start(job.dataset, job.guarantee, job.method, job.options, job.seed, job.audit, about)
    return go(request, f"/jobs/{new.id}/run")


def original_of(service: Service, job: Job) -> str | None:
    """The id of the file that a job is about, or None when it was removed."""
    try:
        return service.datasets.get(job.dataset).id
    except NotFound:
        return None


def steps_of(current: str, job: Job, data: str | None) -> list[dict[str, Any]]:
    """The steps of a job."""
    return steps(current, data=data, job=job.id, query=promise_query(job.guarantee))
