"""Step 7 of the page: the result, questions to it, and handing it over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Query, Request
from fastapi.responses import FileResponse, Response

from covey.errors import CoveyError
from covey.web import browsing
from covey.web.data import MARKS
from covey.web.folders import plain_name
from covey.web.releases import REPORT, SHARED, Release
from covey.web.rendering import (
    CurrentService,
    go,
    new_router,
    promise_query,
    render,
    words_for,
)
from covey.web.routes.run import original_of, steps_of
from covey.web.service import Service
from covey.web.views import attack_details, result_view, units_of, use_view
from covey.web.words import GROUPS, STAGES, UNLINKED

router = new_router()

Labels = Annotated[list[str], Query()]

#: The tabs of the page.
TABS = {
    "hand": "Hand over",
    "attacks": "Attacks in detail",
    "use": "Usefulness",
    "inside": "Look inside",
    "repeat": "Repeat",
}
#: Groups on one page, and how they can be sorted, in words.
PAGE = 8
ORDERS = {"": "as published", "largest": "largest first", "smallest": "smallest first", "risk": "risk"}
#: What a report may do in a browser.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"


@router.get("/jobs/{id}")
def result_page(
    id: str,
    request: Request,
    service: CurrentService,
    tab: str = "hand",
    page: int = 1,
    order: str = "",
    search: str = "",
    sensitive: str = "",
    present: Labels = [],  # noqa: B006  never changed
    absent: Labels = [],  # noqa: B006
) -> Response:
    """Step 7: the result."""
    release = service.releases.get(id)
    if not release.holds:
        return go(request, f"/jobs/{id}/run")
    tab = tab if tab in TABS else "hand"
    shown: dict[str, Any] = {"parts": []}
    if tab in ("attacks", "use"):
        shown["parts"] = (attack_details if tab == "attacks" else use_view)(release)
    elif tab == "inside":
        labels = [[label.strip() for label in given if label.strip()] for given in (present, absent)]
        shown |= _groups(release, page, order, search) | _questions(release, sensitive, *labels)
    original, guarantee = original_of(service, release), release.order.guarantee
    again = promise_query(guarantee, method=release.order.method)
    return render(
        "result.html",
        tab=tab,
        tabs=TABS,
        steps=steps_of(service, "result", release),
        release=release,
        view=result_view(release),
        stage=STAGES.get(release.job.stage, "Measuring"),
        again=f"/data/{original}/method?{again}" if original else "",
        trade=f"/data/{original}/explore?{urlencode({'guarantee': guarantee})}" if original else "",
        **shown,
    )


def _groups(release: Release, page: int = 1, order: str = "", search: str = "") -> dict[str, Any]:
    """Return one page of the groups of a release, and the form that sorts and finds them."""
    order = order if order in ORDERS else ""
    at = max(page, 1)
    groups = browsing.groups(release.directory, (at - 1) * PAGE, PAGE, order=order, search=search)
    last = max(-(-groups["total"] // PAGE), 1)
    if at > last:
        return _groups(release, last, order, search)
    title, words, one = GROUPS.get(groups["what"], ("", "", ""))
    units, wanted = units_of(release), {"tab": "inside", "order": order, "search": search}
    if groups["what"] == "groups" and units["row"] != units["member"]:
        words = UNLINKED.format(**units)
    return {
        "groups": groups,
        "page": at,
        "pages": last,
        "query": lambda number: urlencode({key: value for key, value in wanted.items() if value} | {"page": number}),
        "orders": ORDERS,
        "groups_title": title,
        "groups_words": words,
        "groups_word": one,
        "order": order,
        "search": search,
        "by_person": release.by_person,
        **words_for(release.kind),
    }


def _questions(release: Release, sensitive: str, present: Sequence[str], absent: Sequence[str]) -> dict[str, Any]:
    """Return the question box, with its answer if there is a question; it needs the published files alone."""
    sensitive_items, offered = browsing.questions(release.directory)
    shown: dict[str, Any] = {"ask": None, "answer": None, "refusal": "", "asked_word": f"{units_of(release)['row']}s"}
    if not offered:
        return shown
    examples = release.found["questions"] if release.found is not None else []
    example = examples[0] if examples else {"sensitive": "", "present": ""}
    shown["ask"] = {
        "sensitive_items": sensitive_items,
        "offered": offered,
        "sensitive": sensitive or example["sensitive"],
        "present": present or ([] if sensitive else [example["present"]]),
        "absent": absent,
    }
    if sensitive or present:
        try:
            shown["answer"] = browsing.query(release.directory, sensitive, present, absent)
        except CoveyError as error:
            shown["refusal"] = str(error)
    return shown


@router.get("/jobs/{id}/release.zip")
def release_zip(id: str, service: CurrentService, csv: bool = False) -> Response:
    """The release, packed, on request with a copy in CSV; its name says of which file and with which promise."""
    path = service.releases.archive(id, csv=csv)
    return FileResponse(path, media_type="application/zip", filename=f"{_stem(service, id)}.zip")


def _stem(service: Service, id: str) -> str:
    """Return the name of downloads, without ending."""
    release = service.releases.get(id)
    return f"{plain_name(release.name.rsplit('.', 1)[0])}-{plain_name(release.order.guarantee)}"


@router.get("/jobs/{id}/{name}.html")
def report(id: str, name: str, service: CurrentService, download: bool = False) -> Response:
    """A report, as a file of its own; it brings its style along, and may do nothing else."""
    path = service.releases.file(id, f"{name}.html")
    ending = {REPORT: "internal", SHARED: "report"}[path.name]
    saved = f"{_stem(service, id)}-{ending}.html" if download else None
    return FileResponse(path, media_type="text/html", filename=saved, headers={"Content-Security-Policy": POLICY})


@router.get(f"/jobs/{{id}}/{MARKS}")
def sensitive_list(id: str, service: CurrentService) -> Response:
    """The sensitive items, as the command reads them."""
    return FileResponse(service.releases.file(id, MARKS), media_type="text/plain", filename=MARKS)
