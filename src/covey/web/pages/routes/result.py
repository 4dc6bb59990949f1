"""Step 7 of the page: the result, and what can be asked of it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from fastapi import Depends, Query, Request
from fastapi.responses import FileResponse, PlainTextResponse, Response

from covey.errors import CoveyError
from covey.release.about import About
from covey.web.pages.rendering import (
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
from covey.web.pages.routes.groups import groups_shown
from covey.web.pages.routes.run import original_of, steps_of
from covey.web.pages.views.result import (
    command_lines,
    compared_rows,
    handed_out,
    loss_words,
    measured,
    promised,
    units_of,
)
from covey.web.pages.words import STAGES
from covey.web.records.jobs import Job
from covey.web.records.results import Results
from covey.web.server.folders import plain_name
from covey.web.server.problems import status_of
from covey.web.server.service import Service

router = new_router()

Labels = Annotated[list[str] | None, Query()]


def question_of(sensitive: str = "", present: Labels = None, absent: Labels = None) -> dict[str, Any]:
    """What is asked of a release, without inputs that were left empty."""
    labels = {"present": present, "absent": absent}
    return {"sensitive": sensitive} | {
        name: [label.strip() for label in given or () if label.strip()] for name, given in labels.items()
    }


Question = Annotated[dict[str, Any], Depends(question_of)]

#: The share of detail that a release may lose and still look like plain success.
LITTLE = 0.5

#: The parts of the page, and what their links are called.
SECTIONS = (
    ("download", "Hand over"),
    ("proof", "Checked"),
    ("utility", "Usefulness"),
    ("attacks", "Attacks"),
    ("groups", "Groups"),
    ("ask", "Ask"),
    ("compare", "Compare"),
    ("again", "Command"),
)

#: What the report may do in a browser.
REPORT = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"


@router.post("/jobs/{id}/alternative")
def alternative(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Make another release of the same data, to compare with."""
    job = service.jobs.get(id)
    guarantee, method = form.get("guarantee", "") or job.guarantee, form.get("method", "") or job.method
    try:
        new = service.start(job.dataset, guarantee, method, seed=job.seed, audit=job.audit, about=About(**job.about))
    except CoveyError as error:
        if wants_fragment(request) or not job.holds:
            raise
        # Without scripts: the same page, with what was typed and why it does not work.
        wanted = {"guarantee": guarantee, "method": method, "refusal": str(error)}
        return _result(service, job, status=status_of(error), wanted=wanted)
    return go(request, f"/jobs/{new.id}/run")


@router.get("/jobs/{id}")
def result_page(
    id: str,
    request: Request,
    service: CurrentService,
    question: Question,
    page: int = 1,
    order: str = "",
    search: str = "",
    other: str = "",
) -> Response:
    """Step 7: the result."""
    job = service.jobs.get(id)
    if not job.holds:
        return go(request, f"/jobs/{id}/run")
    leafed = {"page": page, "order": order, "search": search}
    return _result(service, job, leafed=leafed, question=question, other=other)


def _result(
    service: Service,
    job: Job,
    *,
    status: int = 200,
    leafed: Mapping[str, Any] | None = None,
    question: Mapping[str, Any] | None = None,
    other: str = "",
    wanted: Mapping[str, str] | None = None,
) -> Response:
    """The page of a verified release; `wanted` is what was asked for in vain to compare it with."""
    found = _measured(service, job)
    asked = _asked(service, job, found["results"], question or question_of())
    commands = service.releases.commands(job.id)
    data = original_of(service, job)
    groups = groups_shown(service, job, **leafed or {})
    there = {"ask": asked["askable"], "groups": groups["groups_title"]}
    return render(
        "result.html",
        status=status,
        steps=steps_of("result", job, data),
        job=job,
        original=data,
        leaves=handed_out(job),
        sections=[section for section in SECTIONS if there.get(section[0], True)],
        commands=commands,
        command=command_lines(commands.command),
        urls={"method": f"/data/{job.dataset}/method?{promise_query(job.guarantee, method=job.method)}"},
        **found,
        **groups,
        **asked,
        **_compared(service, job, data, other, wanted),
    )


def _measured(service: Service, job: Job) -> dict[str, Any]:
    """What was measured, arranged for the page; or how far that has come, or why there is nothing."""
    results = service.releases.results(job.id) if job.measured else None
    promise = promised(job)
    view = measured(job, results, promise) if results else None
    return {
        "results": results,
        "view": view,
        "note": job.note,
        "stage": STAGES.get(job.stage, "Measuring"),
        "promise": promise,
        "loss": loss_words(job),
        "little": (job.cost.get("lost") or 0) >= LITTLE,
    }


@router.get("/jobs/{id}/measured")
def measured_part(id: str, request: Request, service: CurrentService) -> Response:
    """The pieces of step 7 that change: how far measuring has come, and in the end what was measured."""
    job = service.jobs.get(id)
    if not job.holds:  # cancelled meanwhile
        return go(request, f"/jobs/{id}/run", replace=True)
    shown = _measured(service, job)
    if job.active:
        return render_pieces("measuring.html", **shown)
    return render_pieces("result_update.html", job=job, original=original_of(service, job), **shown)


def _asked(service: Service, job: Job, results: Results | None, question: Mapping[str, Any]) -> dict[str, Any]:
    """The question box, with its answer if something was asked; it needs the published files alone."""
    questions = service.releases.questions(job.id)
    if not questions.items:
        return {"askable": False, "ask": {}, "answer": None, "refusal": ""}
    example = results.questions[0] if results and results.questions else {"sensitive": "", "present": ""}
    sensitive, present = question["sensitive"], question["present"]
    ask = {
        "sensitive_items": questions.sensitive,
        "offered": questions.items,
        "sensitive": sensitive or example["sensitive"],
        "present": present or ([] if sensitive else [example["present"]]),
        "absent": question["absent"],
    }
    answered = _answered(service, job, question) if sensitive or present else {"answer": None, "refusal": ""}
    return {"askable": True, "ask": ask, "asked_word": f"{units_of(job)['row']}s", **answered}


def _answered(service: Service, job: Job, question: Mapping[str, Any]) -> dict[str, Any]:
    try:
        return {"answer": service.releases.query(job.id, **question), "refusal": ""}
    except CoveyError as error:
        return {"answer": None, "refusal": str(error)}


@router.get("/jobs/{id}/answer")
def answer_part(id: str, service: CurrentService, question: Question) -> Response:
    """The answer to a question."""
    job = service.jobs.get(id)
    return render("answer.html", **_answered(service, job, question), **words_for(job.kind))


def _compared(
    service: Service, job: Job, data: str | None, other: str, wanted: Mapping[str, str] | None
) -> dict[str, Any]:
    """The releases of the same data, one of them beside this one, and the form for another one."""
    others = [one for one in service.jobs.all() if one.dataset == job.dataset and one.id != job.id and one.measured]
    methods = [] if data is None else [one.name for one in service.choices.methods(data, job.guarantee)]
    another = next((name for name in methods if name != job.method), job.method)
    proposed = {"guarantee": job.guarantee, "method": another, "refusal": ""}
    return {
        "others": others,
        "other": other,
        "methods": methods,
        "wanted": wanted or proposed,
        **_side_by_side(service, job, other),
    }


def _side_by_side(service: Service, job: Job, other: str) -> dict[str, Any]:
    if not other:
        return {"comparison": None, "rows": []}
    comparison = service.releases.compare(job.id, other)
    return {"comparison": comparison, "rows": compared_rows(comparison)}


@router.get("/jobs/{id}/comparison")
def comparison_part(id: str, service: CurrentService, other: str = "") -> Response:
    """Two releases side by side."""
    return render("comparison.html", **_side_by_side(service, service.jobs.get(id), other))


@router.get("/jobs/{id}/release.zip")
def release_zip(id: str, service: CurrentService, csv: bool = False) -> Response:
    """The release, packed, on request with a copy in CSV; its name says of which file and with which promise."""
    path = service.releases.archive(id, csv=csv)
    return FileResponse(path, media_type="application/zip", filename=f"{_stem(service, id)}.zip")


def _stem(service: Service, id: str) -> str:
    """The name of downloads, without ending."""
    job = service.jobs.get(id)
    return f"{plain_name(job.name.rsplit('.', 1)[0])}-{plain_name(job.guarantee)}"


@router.get("/jobs/{id}/report.html")
def report(id: str, service: CurrentService, download: bool = False) -> Response:
    """The report, as a file of its own; it brings its style along, and may do nothing else."""
    return _report(service.releases.report(id), f"{_stem(service, id)}-internal.html" if download else None)


@router.get("/jobs/{id}/report-to-share.html")
def shared_report(id: str, service: CurrentService, download: bool = False) -> Response:
    """The report made from the release alone."""
    return _report(service.releases.shared_report(id), f"{_stem(service, id)}-report.html" if download else None)


def _report(path: Path, name: str | None) -> Response:
    """A report to be shown or, under a name, to be saved."""
    return FileResponse(path, media_type="text/html", filename=name, headers={"Content-Security-Policy": REPORT})


@router.get("/jobs/{id}/sensitive.txt")
def sensitive_list(id: str, service: CurrentService) -> Response:
    """The sensitive items, as the command reads them."""
    return PlainTextResponse(service.releases.sensitive_list(id))
