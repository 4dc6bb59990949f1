"""Leafing through the groups of a release."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from fastapi.responses import Response

from covey.web.pages.rendering import CurrentService, new_router, render_pieces, words_for
from covey.web.pages.views.result import groups_words
from covey.web.records.jobs import Job
from covey.web.server.service import Service

router = new_router()

#: Groups on one page.
PAGE = 8

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

    def asked(number: int) -> str:
        return urlencode({**{key: value for key, value in wanted.items() if value}, "page": number})

    return {
        "groups": groups,
        "page": at,
        "pages": last,
        "asked": asked,
        "orders": ORDERS,
        **wanted,
        **groups_words(groups.what, job),
        **words_for(job.kind),
    }


@router.get("/jobs/{id}/groups")
def groups_part(id: str, service: CurrentService, page: int = 1, order: str = "", search: str = "") -> Response:
    """Another page of the groups."""
    job = service.jobs.get(id)
    return render_pieces("groups.html", job=job, **groups_shown(service, job, page=page, order=order, search=search))
