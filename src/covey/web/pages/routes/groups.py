"""Leafing through the groups of a release, alone and beside the original."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from fastapi import Request
from fastapi.responses import Response

from covey.web.pages.rendering import CurrentService, go, new_router, render, render_pieces, words_for
from covey.web.pages.routes.run import original_of, steps_of
from covey.web.pages.views.result import groups_words
from covey.web.records.jobs import Job
from covey.web.server.service import Service

router = new_router()

#: Groups on one page, alone and beside the original.
PAGE, BESIDE = 8, 4

#: How groups can be sorted, in words.
ORDERS = (("", "as published"), ("largest", "largest first"), ("smallest", "smallest first"), ("risk", "risk"))


def groups_shown(service: Service, job: Job, *, page: int = 1, order: str = "", search: str = "") -> dict[str, Any]:
    """One page of the groups of a release, and the form that sorts and finds them."""
    wanted = {"order": order if order in dict(ORDERS) else "", "search": search}
    at = max(page, 1)
    groups = service.releases.groups(job.id, offset=(at - 1) * PAGE, limit=PAGE, **wanted)
    last = max(-(-groups.total // PAGE), 1)
    if at > last:
        return groups_shown(service, job, page=last, **wanted)
    here = {"there": f"/jobs/{job.id}", "part": f"/jobs/{job.id}/groups", "search_label": "Find an item or value"}
    return {
        "groups": groups,
        **_paged(at, last, wanted),
        **here,
        **groups_words(groups.what, job),
        **words_for(job.kind),
    }


def _paged(page: int, pages: int, wanted: dict[str, str]) -> dict[str, Any]:
    def asked(number: int) -> str:
        return urlencode({**{key: value for key, value in wanted.items() if value}, "page": number})

    return {"page": page, "pages": pages, "asked": asked, "orders": ORDERS, **wanted}


@router.get("/jobs/{id}/groups")
def groups_part(id: str, service: CurrentService, page: int = 1, order: str = "", search: str = "") -> Response:
    """Another page of the groups."""
    job = service.jobs.get(id)
    return render_pieces("groups.html", job=job, **groups_shown(service, job, page=page, order=order, search=search))


def _beside(service: Service, job: Job, page: int, order: str, search: str) -> dict[str, Any]:
    wanted = {"order": order if order in dict(ORDERS) else "", "search": search}
    at = max(page, 1)
    found = service.beside(job.id, offset=(at - 1) * BESIDE, limit=BESIDE, **wanted)
    last = max(-(-found["total"] // BESIDE), 1)
    if at > last:
        return _beside(service, job, last, order, search)
    here = {"there": f"/jobs/{job.id}/beside", "part": f"/jobs/{job.id}/beside/groups"}
    shown = {"groups": found, "problem": found["problem"], "recoded": found["items"], "listed": len(found["items"])}
    words = {**here, "search_label": "Find an item or value", **groups_words(found["what"], job), **words_for(job.kind)}
    return {**shown, **_paged(at, last, wanted), **words}


@router.get("/jobs/{id}/beside")
def beside_page(
    id: str, request: Request, service: CurrentService, page: int = 1, order: str = "", search: str = ""
) -> Response:
    """The original and the release side by side; for people in the house alone."""
    job = service.jobs.get(id)
    if not job.holds:
        return go(request, f"/jobs/{id}/run")
    steps = steps_of("result", job, original_of(service, job))
    return render("beside.html", steps=steps, job=job, **_beside(service, job, page, order, search))


@router.get("/jobs/{id}/beside/groups")
def beside_part(id: str, service: CurrentService, page: int = 1, order: str = "", search: str = "") -> Response:
    """Another page of it."""
    job = service.jobs.get(id)
    return render_pieces("beside_groups.html", job=job, **_beside(service, job, page, order, search))
