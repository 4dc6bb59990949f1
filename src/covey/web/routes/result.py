"""Step 7 of the page: the result, what can be asked of it, and handing it over."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import Depends, Query, Request
from fastapi.responses import FileResponse, Response

from covey.errors import CoveyError
from covey.web import browsing
from covey.web.choices import asked_of, method_choices
from covey.web.data import MARKS
from covey.web.folders import plain_name
from covey.web.problems import status_of
from covey.web.releases import REPORT, SHARED, Release
from covey.web.rendering import (
    CurrentService,
    PostedForm,
    go,
    new_router,
    promise_query,
    render,
    render_pieces,
    wants_fragment,
    words_for,
)
from covey.web.routes.run import original_of, steps_of
from covey.web.service import Service
from covey.web.views import attack_details, comparison, counts_persons, result_view, units_of, use_view
from covey.web.words import GROUPS, STAGES, UNLINKED

router = new_router()

Labels = Annotated[list[str] | None, Query()]

#: The tabs of the page.
TABS = {
    "hand": "Hand over",
    "attacks": "Attacks in detail",
    "use": "Usefulness",
    "inside": "Look inside",
    "compare": "Compare and repeat",
}
#: Groups on one page, and how they can be sorted, in words.
PAGE = 8
ORDERS = (("", "as published"), ("largest", "largest first"), ("smallest", "smallest first"), ("risk", "risk"))
#: What a report may do in a browser.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"


def question_of(sensitive: str = "", present: Labels = None, absent: Labels = None) -> dict[str, Any]:
    """Return what is asked of a release, without inputs that were left empty."""
    labels = {"present": present, "absent": absent}
    return {"sensitive": sensitive} | {
        name: [label.strip() for label in given or () if label.strip()] for name, given in labels.items()
    }


Question = Annotated[dict[str, Any], Depends(question_of)]


@router.get("/jobs/{id}")
def result_page(
    id: str,
    request: Request,
    service: CurrentService,
    question: Question,
    tab: str = "hand",
    page: int = 1,
    order: str = "",
    search: str = "",
    other: str = "",
) -> Response:
    """Step 7: the result."""
    release = service.releases.get(id)
    if not release.holds:
        return go(request, f"/jobs/{id}/run")
    leafed = {"page": page, "order": order, "search": search}
    return _result(service, release, tab if tab in TABS else "hand", leafed=leafed, question=question, other=other)


def _result(
    service: Service,
    release: Release,
    tab: str,
    *,
    leafed: Mapping[str, Any] | None = None,
    question: Mapping[str, Any] | None = None,
    other: str = "",
    wanted: Mapping[str, str] | None = None,
    status: int = 200,
) -> Response:
    """Return the page of a verified release; `wanted` is what was asked for in vain to compare it with."""
    shown: dict[str, Any] = {}
    if tab == "attacks":
        shown = attack_details(release)
    elif tab == "use":
        shown = use_view(release)
    elif tab == "inside":
        shown = _groups(release, **leafed or {}) | _asked(release, question or question_of())
    elif tab == "compare":
        shown = _compared(service, release, other, wanted)
    return render("result.html", status=status, tab=tab, tabs=TABS, **_measured(service, release), **shown)


def _measured(service: Service, release: Release) -> dict[str, Any]:
    """Return what there is to decide, arranged for the page, as far as it is known."""
    original = original_of(service, release)
    again = promise_query(release.asked.guarantee, method=release.asked.method)
    return {
        "steps": steps_of(service, "result", release),
        "release": release,
        "original": original,
        "view": result_view(release),
        "stage": STAGES.get(release.job.stage, "Measuring"),
        "again": f"/data/{original}/method?{again}" if original else "",
        "trade": f"/data/{original}/explore?{urlencode({'guarantee': release.asked.guarantee})}" if original else "",
    }


@router.get("/jobs/{id}/measured")
def measured_part(id: str, request: Request, service: CurrentService) -> Response:
    """The pieces of step 7 that change: how far measuring has come, and in the end what was measured."""
    release = service.releases.get(id)
    if release.job.active and release.found is None:
        return render_pieces("measuring.html", stage=STAGES.get(release.job.stage, "Measuring"))
    return render_pieces("result_update.html", **_measured(service, release))


def _groups(release: Release, *, page: int = 1, order: str = "", search: str = "") -> dict[str, Any]:
    """Return one page of the groups of a release, and the form that sorts and finds them."""
    wanted = {"order": order if order in dict(ORDERS) else "", "search": search}
    at = max(page, 1)
    groups = browsing.groups(release.directory, (at - 1) * PAGE, PAGE, **wanted)
    last = max(-(-groups["total"] // PAGE), 1)
    if at > last:
        return _groups(release, page=last, **wanted)
    title, words, one = GROUPS.get(groups["what"], ("", "", ""))
    units = units_of(release)
    if groups["what"] == "groups" and units["row"] != units["member"]:
        words = UNLINKED.format(**units)

    def asked(number: int) -> str:
        return urlencode({"tab": "inside", **{key: value for key, value in wanted.items() if value}, "page": number})

    return {
        "groups": groups,
        "page": at,
        "pages": last,
        "asked": asked,
        "orders": ORDERS,
        "groups_title": title,
        "groups_words": words,
        "groups_word": one,
        **wanted,
        **words_for(release.kind),
    }


@router.get("/jobs/{id}/groups")
def groups_part(id: str, service: CurrentService, page: int = 1, order: str = "", search: str = "") -> Response:
    """Another page of the groups."""
    release = service.releases.get(id)
    release.require()
    shown = _groups(release, page=page, order=order, search=search)
    return render_pieces("groups.html", release=release, by_person=counts_persons(release), **shown)


def _asked(release: Release, question: Mapping[str, Any]) -> dict[str, Any]:
    """Return the question box, with its answer if something was asked; it needs the published files alone."""
    able = browsing.questions(release.directory)
    if not able["items"]:
        return {"ask": None, "answer": None, "refusal": ""}
    examples = release.found["questions"] if release.found is not None else []
    example = examples[0] if examples else {"sensitive": "", "present": ""}
    sensitive, present = question["sensitive"], question["present"]
    ask = {
        "sensitive_items": able["sensitive"],
        "offered": able["items"],
        "sensitive": sensitive or example["sensitive"],
        "present": present or ([] if sensitive else [example["present"]]),
        "absent": question["absent"],
    }
    answered = _answered(release, question) if sensitive or present else {"answer": None, "refusal": ""}
    return {"ask": ask, "asked_word": f"{units_of(release)['row']}s", **answered}


def _answered(release: Release, question: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return {"answer": browsing.query(release.directory, **question), "refusal": ""}
    except CoveyError as error:
        return {"answer": None, "refusal": str(error)}


@router.get("/jobs/{id}/answer")
def answer_part(id: str, service: CurrentService, question: Question) -> Response:
    """The answer to a question."""
    release = service.releases.get(id)
    release.require()
    return render("answer.html", **_answered(release, question), **words_for(release.kind))


def _compared(service: Service, release: Release, other: str, wanted: Mapping[str, str] | None) -> dict[str, Any]:
    """Return the releases of the same data, one of them beside this one, and the form for another one."""
    others = [
        one
        for one in service.releases.all()
        if one.dataset == release.dataset and one.id != release.id and one.found is not None
    ]
    able: list[str] = []
    if original := original_of(service, release):
        data = service.datasets.get(original)
        able = [one.name for one in method_choices(data, release.asked.guarantee)]
    another = next((name for name in able if name != release.asked.method), release.asked.method)
    second = next((one for one in others if one.id == other), None)
    return {
        "others": others,
        "second": second,
        "rows": [] if second is None else comparison(release, second),
        "able": able,
        "wanted": wanted or {"guarantee": release.asked.guarantee, "method": another, "refusal": ""},
    }


@router.get("/jobs/{id}/comparison")
def comparison_part(id: str, service: CurrentService, other: str = "") -> Response:
    """Two releases side by side."""
    release = service.releases.get(id)
    return render("comparison.html", release=release, **_compared(service, release, other, None))


@router.post("/jobs/{id}/alternative")
def alternative(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Make another release of the same data, to compare with."""
    release = service.releases.get(id)
    asked = release.asked
    guarantee, method = form.get("guarantee", "") or asked.guarantee, form.get("method", "") or asked.method
    given = {**asked.about, "seed": "" if asked.seed is None else str(asked.seed)}
    given |= {} if asked.audit is None else {"audit": f"{asked.audit:g}"}
    try:
        data = service.datasets.get(release.dataset)
        new = service.releases.start(data, asked_of(data, guarantee, method, given, {}))
    except CoveyError as error:
        if wants_fragment(request) or not release.holds:
            raise
        # Without scripts: the same page, with what was typed and why it does not work.
        refused = {"guarantee": guarantee, "method": method, "refusal": str(error)}
        return _result(service, release, "compare", status=status_of(error), wanted=refused)
    return go(request, f"/jobs/{new.id}/run")


@router.get("/jobs/{id}/release.zip")
def release_zip(id: str, service: CurrentService, csv: bool = False) -> Response:
    """The release, packed, on request with a copy in CSV; its name says of which file and with which promise."""
    path = service.releases.archive(id, csv=csv)
    return FileResponse(path, media_type="application/zip", filename=f"{_stem(service, id)}.zip")


def _stem(service: Service, id: str) -> str:
    """Return the name of downloads, without ending."""
    release = service.releases.get(id)
    return f"{plain_name(release.name.rsplit('.', 1)[0])}-{plain_name(release.asked.guarantee)}"


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
