"""Step 6 of the page: the work under way."""

from __future__ import annotations

import time
from typing import Any

from fastapi import Request
from fastapi.responses import Response

from covey.web.releases import Release
from covey.web.rendering import CurrentService, go, new_router, promise_query, render, steps
from covey.web.service import Service
from covey.web.words import STAGES

router = new_router()

#: The stages of making a release, and the share of the bar that is full when each begins.
PARTS = (
    ("Reading", ("reading",), 0),
    ("Anonymizing", ("compiling", "ordering", "learning", "searching", "grouping", "generalizing", "suppressing"), 20),
    ("Writing", ("publishing", "writing"), 65),
    ("Verifying", ("verifying",), 80),
)
#: The share of the bar that is full as soon as work has begun, so that there is a bar to be seen.
LEAST = 2


# Asked by every open page several times a second: what it reads is short, and no thread has to be waited for.
@router.get("/jobs/{id}/run")
async def run_page(id: str, request: Request, service: CurrentService) -> Response:
    """Step 6: the work under way; once it is done, the result."""
    release = service.releases.get(id)
    if release.holds:
        return go(request, f"/jobs/{id}", replace=True)
    job = release.job
    place = next((at for at, (_, names, _) in enumerate(PARTS) if job.stage in names), -1)
    overall = None
    if place >= 0:
        begin, end = PARTS[place][2], [*(part[2] for part in PARTS), 100][place + 1]
        overall = max(round(begin + (end - begin) * job.fraction), LEAST)
    state = ["past" if at < place else "now" if at == place else "next" for at in range(len(PARTS))]
    return render(
        "run.html",
        steps=steps_of(service, "run", release),
        release=release,
        job=job,
        stage=STAGES.get(job.stage, "Starting"),
        overall=overall,
        elapsed=elapsed(job.started, job.created, time.time()),
        stages=[{"words": part[0], "state": one} for part, one in zip(PARTS, state, strict=True)],
        again=f"/data/{release.dataset}/promise?{promise_query(release.order.guarantee)}#strength",
    )


def elapsed(started: float | None, created: float, now: float) -> str:
    """Return how long a job has waited, or has been running.

    Examples
    --------
    >>> elapsed(None, 100.0, 104.2), elapsed(101.0, 100.0, 226.0)
    ('Waiting for 4 s.', 'Running for 2 min 5 s.')
    """
    minutes, rest = divmod(max(0, int(now - (started or created))), 60)
    text = f"{minutes:,} min {rest} s" if minutes else f"{rest} s"
    return f"{'Running' if started else 'Waiting'} for {text}."


@router.post("/jobs/{id}/cancel")
def cancel(id: str, request: Request, service: CurrentService) -> Response:
    """Stop the work; whoever comes too late, or presses twice, is shown what became of it."""
    service.releases.cancel(id)
    return go(request, f"/jobs/{id}/run")


@router.post("/jobs/{id}/again")
def again(id: str, request: Request, service: CurrentService) -> Response:
    """Do the same once more."""
    return go(request, f"/jobs/{service.releases.again(id).id}/run")


def original_of(service: Service, release: Release) -> str:
    """Return the id of the file that a release is made of; empty when it was removed."""
    return release.dataset if service.datasets.has(release.dataset) else ""


def steps_of(service: Service, current: str, release: Release) -> list[dict[str, Any]]:
    """Return the steps of a release."""
    query = promise_query(release.order.guarantee)
    return steps(current, data=original_of(service, release), job=release.id, query=query)
