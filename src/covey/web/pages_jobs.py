"""Steps 6 and 7 of the page: the work under way, and its result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import FileResponse, HTMLResponse, PlainTextResponse, Response

from covey.errors import CoveyError
from covey.report.words import promise_of
from covey.web.folders import plain_name
from covey.web.outcomes import Job, Results
from covey.web.pages import (
    form_of,
    go,
    promise_query,
    render,
    steps,
    steward_of,
    wants_fragment,
    words_for,
)
from covey.web.problems import NotFound, status_of
from covey.web.steward import Steward
from covey.web.views import command_lines, compared_rows, groups_words, handed_out, measured
from covey.web.words import STAGES

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

Serving = Annotated[Steward, Depends(steward_of)]
Form = Annotated[Mapping[str, str], Depends(form_of)]
Labels = Annotated[list[str] | None, Query()]

#: Groups on one page of the browser.
PAGE = 8

#: What the report may do in a browser.
REPORT = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'none'; sandbox"

#: The stages of making a release, and the share of the bar that is full when each begins.
COURSE = (
    ("Reading", ("reading",), 0),
    ("Anonymizing", ("ordering", "searching", "grouping", "generalizing", "suppressing"), 20),
    ("Writing", ("publishing", "writing"), 65),
    ("Verifying", ("verifying",), 80),
)


@router.get("/jobs/{id}/run")
def run_page(id: str, request: Request, steward: Serving) -> Response:
    """Step 6: the work under way; once it is done, the result."""
    job = steward.job(id)
    if job.holds:
        return go(request, f"/jobs/{id}")
    return render("run.html", steps=_steps("run", job, _original(steward, job)), **_progress(job))


@router.get("/jobs/{id}/progress")
def progress(id: str, request: Request, steward: Serving) -> Response:
    """The part of step 6 that changes."""
    job = steward.job(id)
    if job.holds or not job.active:
        return go(request, f"/jobs/{id}" if job.holds else f"/jobs/{id}/run")
    return render("progress.html", **_progress(job))


def _original(steward: Steward, job: Job) -> str | None:
    """The id of the file that a job is about, or None when it was removed."""
    try:
        return steward.dataset(job.dataset).id
    except NotFound:
        return None


def _steps(current: str, job: Job, data: str | None) -> list[dict[str, Any]]:
    return steps(current, data=data, job=job.id, query=promise_query(job.guarantee))


def _progress(job: Job) -> dict[str, Any]:
    """How far a job has come, as one bar and a list of stages."""
    place = next((at for at, (_, names, _) in enumerate(COURSE) if job.stage in names), -1)
    if job.state == "verifying":
        place = len(COURSE) - 1
    overall = None
    if place >= 0:
        begin = COURSE[place][2]
        end = COURSE[place + 1][2] if place + 1 < len(COURSE) else 100
        overall = round(begin + (end - begin) * min(max(job.fraction, 0.0), 1.0))
    listed = [
        {"words": words, "state": "past" if at < place else "now" if at == place else "next"}
        for at, (words, _, _) in enumerate(COURSE)
    ]
    return {
        "job": job,
        "stage": STAGES.get(job.stage, "Starting"),
        "overall": overall,
        "stages": listed,
        "again": {"promise": f"/data/{job.dataset}/promise?{promise_query(job.guarantee)}#strength"},
    }


@router.post("/jobs/{id}/cancel")
def cancel(id: str, request: Request, steward: Serving) -> Response:
    """Stop the work."""
    steward.cancel(id)
    return go(request, f"/jobs/{id}/run")


@router.post("/jobs/{id}/again")
def again(id: str, request: Request, steward: Serving) -> Response:
    """Do the same once more."""
    job = steward.job(id)
    new = steward.start(job.dataset, job.guarantee, job.method, options=job.options, seed=job.seed)
    return go(request, f"/jobs/{new.id}/run")


@router.post("/jobs/{id}/rival")
def rival(id: str, request: Request, steward: Serving, form: Form) -> Response:
    """Make another release of the same data, to compare with."""
    job = steward.job(id)
    guarantee, method = form.get("guarantee", "") or job.guarantee, form.get("method", "") or job.method
    try:
        new = steward.start(job.dataset, guarantee, method, seed=job.seed)
    except CoveyError as error:
        if wants_fragment(request) or not job.holds:
            raise
        # Without scripts: the same page, with what was typed and why it does not work.
        wish = {"guarantee": guarantee, "method": method, "refusal": str(error)}
        return _result(steward, job, status=status_of(error), wish=wish)
    return go(request, f"/jobs/{new.id}/run")


@router.get("/jobs/{id}")
def result_page(
    id: str,
    request: Request,
    steward: Serving,
    offset: int = 0,
    sensitive: str = "",
    present: Labels = None,
    absent: Labels = None,
    other: str = "",
) -> Response:
    """Step 7: the result."""
    job = steward.job(id)
    if not job.holds:
        return go(request, f"/jobs/{id}/run")
    return _result(
        steward, job, offset=offset, sensitive=sensitive, present=present, absent=absent, other=other
    )


def _result(
    steward: Steward,
    job: Job,
    *,
    status: int = 200,
    offset: int = 0,
    sensitive: str = "",
    present: Labels = None,
    absent: Labels = None,
    other: str = "",
    wish: Mapping[str, str] | None = None,
) -> Response:
    """The page of a verified release; `wish` is what was asked for in vain to compare it with."""
    promise = promise_of(job.guarantee, job.kind)
    found = _measured(steward, job)
    asked = _asked(steward, job, found["results"], sensitive, present, absent)
    recipe = steward.recipe(job.id)
    data = _original(steward, job)
    listed = [
        ("download", "Hand out"),
        ("proof", "Checked"),
        ("utility", "Usefulness"),
        ("attacks", "Attacks"),
    ]
    if found["view"] is not None and found["view"].pictures:
        listed.append(("picture", "Picture"))
    listed.append(("groups", "Groups"))
    if asked["askable"]:
        listed.append(("ask", "Ask"))
    return render(
        "result.html",
        status=status,
        steps=_steps("result", job, data),
        job=job,
        original=data,
        leaves=handed_out(job),
        promise=promise,
        sections=[*listed, ("compare", "Compare"), ("again", "Command")],
        recipe=recipe,
        command=command_lines(recipe.command),
        urls={"method": f"/data/{job.dataset}/method?{promise_query(job.guarantee, method=job.method)}"},
        **{key: value for key, value in found.items() if key != "results"},
        **_groups(steward, job, offset),
        **asked,
        **_compared(steward, job, data, other, wish),
    )


def _measured(steward: Steward, job: Job) -> dict[str, Any]:
    results = steward.results(job.id) if job.measured else None
    view = measured(job, results, promise_of(job.guarantee, job.kind)) if results else None
    return {"results": results, "view": view, "stage": STAGES.get(job.stage, "Measuring")}


@router.get("/jobs/{id}/measured")
def measured_part(id: str, request: Request, steward: Serving) -> Response:
    """The measured part of step 7, once it is there: then the page is asked for again as a whole."""
    job = steward.job(id)
    if job.measured or job.note:
        return Response(status_code=204, headers={"HX-Refresh": "true"})
    return render("measuring.html", job=job, stage=STAGES.get(job.stage, "Measuring"))


def _groups(steward: Steward, job: Job, offset: int) -> dict[str, Any]:
    groups = steward.groups(job.id, offset=max(offset, 0), limit=PAGE)
    return {"groups": groups, "page_size": PAGE, **groups_words(groups.what), **words_for(job.kind)}


@router.get("/jobs/{id}/groups")
def groups_part(id: str, steward: Serving, offset: int = 0) -> Response:
    """Another page of the groups."""
    job = steward.job(id)
    return render("groups.html", job=job, **_groups(steward, job, offset))


def _asked(
    steward: Steward, job: Job, results: Results | None, sensitive: str, present: Labels, absent: Labels
) -> dict[str, Any]:
    """The question box, with its answer if something was asked."""
    shown: dict[str, Any] = {"askable": False, "ask": {}, "answer": None, "refusal": ""}
    if results is None or not results.sensitive_items:
        return shown
    first = results.questions[0] if results.questions else {"sensitive": "", "present": ""}
    shown["askable"] = True
    shown["ask"] = {
        "sensitive_items": results.sensitive_items,
        "offered": results.items,
        "sensitive": sensitive or first["sensitive"],
        "present": _named(present) if sensitive else [first["present"]],
        "absent": _named(absent),
    }
    if sensitive:
        shown |= _answered(steward, job, sensitive, present, absent)
    return shown


def _named(labels: list[str] | None) -> list[str]:
    """The labels of a form without its empty inputs."""
    return [label.strip() for label in labels or () if label.strip()]


def _answered(steward: Steward, job: Job, sensitive: str, present: Labels, absent: Labels) -> dict[str, Any]:
    try:
        return {
            "answer": steward.query(job.id, sensitive, _named(present), _named(absent)),
            "refusal": "",
        }
    except CoveyError as error:
        return {"answer": None, "refusal": str(error)}


@router.get("/jobs/{id}/answer")
def answer_part(
    id: str, steward: Serving, sensitive: str = "", present: Labels = None, absent: Labels = None
) -> Response:
    """The answer to a question."""
    job = steward.job(id)
    return render("answer.html", **_answered(steward, job, sensitive, present, absent), **words_for(job.kind))


def _compared(
    steward: Steward, job: Job, data: str | None, other: str, wish: Mapping[str, str] | None
) -> dict[str, Any]:
    """The releases of the same data, one of them beside this one, and the form for another one."""
    others = [
        one for one in steward.jobs() if one.dataset == job.dataset and one.id != job.id and one.measured
    ]
    methods = [] if data is None else [one.name for one in steward.methods(data, job.guarantee)]
    rivals = [name for name in methods if name != job.method]
    proposed = {"guarantee": job.guarantee, "method": rivals[0] if rivals else job.method, "refusal": ""}
    return {
        "others": others,
        "other": other,
        "rivals": methods,
        "wish": wish or proposed,
        **_side_by_side(steward, job, other),
    }


def _side_by_side(steward: Steward, job: Job, other: str) -> dict[str, Any]:
    if not other:
        return {"comparison": None, "rows": []}
    comparison = steward.compare(job.id, other)
    return {"comparison": comparison, "rows": compared_rows(comparison)}


@router.get("/jobs/{id}/comparison")
def comparison_part(id: str, steward: Serving, other: str = "") -> Response:
    """Two releases side by side."""
    return render("comparison.html", **_side_by_side(steward, steward.job(id), other))


@router.get("/jobs/{id}/release.zip")
def release_zip(id: str, steward: Serving) -> Response:
    """The release, packed; its name says of which file and with which promise."""
    job = steward.job(id)
    name = f"{plain_name(job.name.rsplit('.', 1)[0])}-{plain_name(job.guarantee)}.zip"
    return FileResponse(steward.packed(id), media_type="application/zip", filename=name)


@router.get("/jobs/{id}/report.html")
def report(id: str, steward: Serving) -> Response:
    """The report, as a file of its own; it brings its style along, and may do nothing else."""
    return FileResponse(
        steward.report(id), media_type="text/html", headers={"Content-Security-Policy": REPORT}
    )


@router.get("/jobs/{id}/sensitive.txt")
def sensitive_list(id: str, steward: Serving) -> Response:
    """The sensitive items, as the command reads them."""
    return PlainTextResponse(steward.sensitive_list(id))


@router.get("/jobs/{id}/pictures/{number}.png")
def picture(id: str, number: int, steward: Serving) -> Response:
    """One picture of the published data."""
    return FileResponse(steward.picture(id, number), media_type="image/png")
