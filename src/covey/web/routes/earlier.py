"""Earlier work on the page: what is kept, and removing it once somebody has confirmed that."""

from __future__ import annotations

import re
import shutil

from fastapi import Request
from fastapi.responses import Response

from covey.counting import counted
from covey.errors import ParameterError
from covey.web.folders import size_of, written_size
from covey.web.rendering import CurrentService, PostedForm, confirmation, go, new_router, render
from covey.web.service import Cleaned, Service

router = new_router()

#: What the address may say of things that were removed: releases, files and bytes, nothing but numbers.
REMOVED = re.compile(r"([0-9]{1,9})-([0-9]{1,9})-([0-9]{1,18})")


@router.get("/jobs")
def jobs_page(service: CurrentService, removed: str = "") -> Response:
    """Earlier work."""
    told = REMOVED.fullmatch(removed)
    words = ""
    if told:
        jobs, datasets, size = map(int, told.groups())
        words = f"{_both(jobs, datasets)}{f', {written_size(size)} in all' if size else ''}."
    return _kept(service, removed=words)


def _kept(service: Service, *, status: int = 200, removed: str = "", refusal: str = "", days: str = "30") -> Response:
    return render(
        "jobs.html",
        status=status,
        here="jobs",
        releases=service.releases.all(),
        datasets=service.datasets.all(),
        size=written_size(size_of(service.settings.data)),
        free=written_size(shutil.disk_usage(service.settings.data).free),
        removed=removed,
        refusal=refusal,
        days=days,
    )


def _both(jobs: int, datasets: int) -> str:
    """Numbers of releases and files, without what there is none of."""
    parts = [counted(number, word) for number, word in ((jobs, "release"), (datasets, "file")) if number]
    return " and ".join(parts) or "Nothing"


def _gone(request: Request, gone: Cleaned) -> Response:
    return go(request, f"/jobs?removed={gone.releases}-{gone.datasets}-{gone.bytes}")


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
    if (form.get("jobs"), form.get("datasets")) != (str(len(going.releases)), str(len(going.datasets))):
        return _sure(service, days)
    return _gone(request, service.clean(_age(days)))


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
    jobs, datasets = len(going.releases), len(going.datasets)
    if not jobs and not datasets:
        return _kept(service, refusal=f"Nothing is older than {counted_days(age)}.", days=days)
    what = [f"The release of {one.name} with {one.asked.guarantee}, by {one.asked.method}" for one in going.releases]
    what += [f"The file {dataset.name}" for dataset in going.datasets]
    shown = {"days": days, "jobs": str(jobs), "datasets": str(datasets)}
    return confirmation(
        f"Remove {_both(jobs, datasets)}?", what, "/clean", back="/jobs", keep="Keep everything", **shown
    )


def counted_days(age: float) -> str:
    """An age in days.

    Examples
    --------
    >>> counted_days(1), counted_days(0.5)
    ('1 day', '0.5 days')
    """
    return f"{age:g} {'day' if age == 1 else 'days'}"


@router.get("/jobs/{id}/remove")
def job_removal(id: str, service: CurrentService) -> Response:
    """Ask whether one release is to go."""
    release = service.releases.get(id)
    note = "The file that it was made of stays."
    if not release.holds and release.job.active:
        note = f"It is still being made, and is stopped. {note}"
    title = "Remove this release?" if release.holds else "Remove this from the list?"
    what = f"{release.name} with {release.asked.guarantee}, by {release.asked.method}"
    return confirmation(title, [what], f"/jobs/{id}/remove", back="/jobs", note=note)


@router.post("/jobs/{id}/remove")
def remove_job(id: str, request: Request, service: CurrentService) -> Response:
    """Remove one release."""
    return _gone(request, service.remove_release(id))


@router.get("/data/{id}/remove")
def data_removal(id: str, service: CurrentService) -> Response:
    """Ask whether one file is to go."""
    choices = service.datasets.choices(id)
    made = sum(one.dataset == id and one.holds for one in service.releases.all())
    note = ""
    if choices.origin == "root":
        note = "The file in your own folder is not touched, only what covey keeps of it. "
    if made:
        note += f"What was made of it stays: {counted(made, 'release')}. No further one can be made of it then."
    return confirmation("Remove this file?", [choices.name], f"/data/{id}/remove", back="/jobs", note=note.strip())


@router.post("/data/{id}/remove")
def remove_data(id: str, request: Request, service: CurrentService) -> Response:
    """Remove what is kept of one file."""
    return _gone(request, service.remove_dataset(id))
