"""Earlier work on the page: what is kept, removing it once somebody has confirmed that, and putting it back."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import Any

from fastapi import Request
from fastapi.responses import Response

from covey.counting import counted
from covey.errors import ParameterError
from covey.web.pages.rendering import CurrentService, PostedForm, go, new_router, render
from covey.web.records.jobs import Cleaned
from covey.web.server.bin import KEPT_DAYS
from covey.web.server.folders import size_of, written_size
from covey.web.server.service import Service

router = new_router()

#: What the address may say of things that were removed: releases, files and bytes, nothing but numbers.
REMOVED = re.compile(r"([0-9]{1,9})-([0-9]{1,9})-([0-9]{1,18})")

#: What a record is a record of.
WHAT = {"jobs": "A release", "datasets": "A file"}


@router.get("/jobs")
def jobs_page(service: CurrentService, removed: str = "", undo: str = "") -> Response:
    """Earlier work."""
    told = REMOVED.fullmatch(removed)
    words = ""
    if told:
        jobs, datasets, size = map(int, told.groups())
        words = f"{_both(jobs, datasets)}{f', {written_size(size)} in all' if size else ''}."
    return _kept(service, removed=words, undo=undo)


def _kept(
    service: Service, *, status: int = 200, removed: str = "", undo: str = "", refusal: str = "", days: str = "30"
) -> Response:
    lately = service.bin.all()
    if undo and undo not in {repr(one.removed) for one in lately}:  # it has been put back, or has gone for good
        removed = undo = ""
    return render(
        "jobs.html",
        status=status,
        here="jobs",
        jobs=service.jobs.all(),
        datasets=service.datasets.all(),
        unreadable=[(WHAT[one.table], one) for one in service.unreadable],
        lately=[(WHAT[one.table], one) for one in lately],
        lately_size=written_size(sum(one.bytes for one in lately)),
        size=written_size(size_of(service.settings.data)),
        free=written_size(service.status()["free_disk"]),
        kept_days=KEPT_DAYS,
        undo=undo,
        damaged=service.damaged,
        removed=removed,
        refusal=refusal,
        days=days,
    )


def _both(jobs: int, datasets: int) -> str:
    """Numbers of releases and files, without what there is none of."""
    parts = [counted(number, word) for number, word in ((jobs, "release"), (datasets, "file")) if number]
    return " and ".join(parts) or "Nothing"


def _gone(request: Request, gone: Cleaned) -> Response:
    undo = "" if gone.undo is None else f"&undo={gone.undo!r}"
    return go(request, f"/jobs?removed={gone.jobs}-{gone.datasets}-{gone.bytes}{undo}")


@router.get("/clean")
def cleaning(service: CurrentService, days: str = "") -> Response:
    """What would be removed; nothing is yet."""
    return _sure(service, days)


@router.post("/clean")
def clean(request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Remove what is older than so many days, if it is what somebody has seen and confirmed."""
    days = form.get("days", "")
    try:
        going = service.outdated(_age(days))
    except ParameterError:
        return _sure(service, days)
    if (form.get("jobs"), form.get("datasets")) != (str(going.releases), str(going.files)):
        return _sure(service, days)
    return _gone(request, service.clean(_age(days), for_good=_for_good(form)))


def _for_good(form: Mapping[str, str]) -> bool:
    return bool(form.get("for_good"))


def _age(text: str) -> float:
    try:
        return float(text.strip())
    except ValueError:
        raise ParameterError(f"The age must be a number of days. Got {text.strip()!r} instead.") from None


def _sure(service: Service, days: str) -> Response:
    """Ask whether everything of this age is to go."""
    try:
        age = _age(days)
        going = service.outdated(age)
    except ParameterError as error:
        return _kept(service, status=422, refusal=str(error), days=days)
    if not going.releases and not going.files:
        return _kept(service, refusal=f"Nothing is older than {counted_days(age)}.", days=days)
    return _asked(
        title=f"Remove {_both(going.releases, going.files)}?",
        what=[
            *(f"The release of {job.name} with {job.guarantee}, by {job.method}" for job in going.jobs),
            *(f"The file {dataset.name}" for dataset in going.datasets),
            *(f"{WHAT[one.table]} that cannot be read ({one.id})" for one in going.unreadable),
        ],
        action="/clean",
        values={"days": days, "jobs": str(going.releases), "datasets": str(going.files)},
        note="What cannot be read is removed for good." if going.unreadable else "",
    )


def counted_days(age: float) -> str:
    """An age in days.

    Examples
    --------
    >>> counted_days(1), counted_days(0.5)
    ('1 day', '0.5 days')
    """
    return f"{age:g} {'day' if age == 1 else 'days'}"


def _asked(
    *, title: str, what: list[str], action: str, values: Mapping[str, str] | None = None, note: str = ""
) -> Response:
    context: dict[str, Any] = {"title": title, "what": what, "action": action, "values": values or {}}
    return render("remove.html", here="jobs", note=note, kept_days=KEPT_DAYS, **context)


@router.get("/jobs/{id}/remove")
def job_removal(id: str, service: CurrentService) -> Response:
    """Ask whether one release is to go."""
    job = service.jobs.get(id)
    note = "The file that it was made of stays."
    if job.active:
        note = f"It is still being made, and is stopped. {note}"
    return _asked(
        title="Remove this release?" if job.holds else "Remove this from the list?",
        what=[f"{job.name} with {job.guarantee}, by {job.method}"],
        action=f"/jobs/{id}/remove",
        note=note,
    )


@router.post("/jobs/{id}/remove")
def remove_job(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Remove one release."""
    return _gone(request, service.remove_job(id, for_good=_for_good(form)))


@router.get("/data/{id}/remove")
def data_removal(id: str, service: CurrentService) -> Response:
    """Ask whether one file is to go."""
    data = service.datasets.get(id)
    made = sum(job.dataset == id and job.holds for job in service.jobs.all())
    note = ""
    if data.origin == "root":
        note = "The file in your own folder is not touched, only what covey keeps of it. "
    if made:
        note += f"What was made of it stays: {counted(made, 'release')}. No further one can be made of it then."
    return _asked(title="Remove this file?", what=[data.name], action=f"/data/{id}/remove", note=note.strip())


@router.post("/data/{id}/remove")
def remove_data(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Remove what is kept of one file."""
    return _gone(request, service.remove_dataset(id, for_good=_for_good(form)))


@router.post("/removed/undo")
def undo_removal(request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Put back all that was removed at one time."""
    try:
        when = float(form.get("when", ""))
    except ValueError:
        raise ParameterError("Undo needs the time of the removal. Go back to Earlier work.") from None
    service.bin.undo(when)
    return go(request, "/jobs")


@router.post("/removed/{id}/restore")
def restore(id: str, request: Request, service: CurrentService) -> Response:
    """Put back one release or file."""
    service.bin.put_back(id)
    return go(request, "/jobs")


@router.post("/removed/empty")
def empty(request: Request, service: CurrentService) -> Response:
    """Remove for good all that could be put back."""
    return _gone(request, service.bin.purge(made_before=time.time()))


@router.post("/removed/{id}/remove")
def remove_for_good(id: str, request: Request, service: CurrentService) -> Response:
    """Remove for good one that could be put back."""
    return _gone(request, service.bin.drop(id))
