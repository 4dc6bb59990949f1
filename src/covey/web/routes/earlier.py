"""Earlier work on the page: what is kept, and removing it once somebody has confirmed that."""

from __future__ import annotations

import shutil

from fastapi import Request
from fastapi.responses import Response

from covey.counting import counted
from covey.errors import ParameterError
from covey.web.folders import size_of, written_size
from covey.web.problems import Conflict
from covey.web.rendering import CurrentService, PostedForm, confirmation, go, new_router, render
from covey.web.service import Cleaned, Service

router = new_router()


@router.get("/jobs")
def jobs_page(service: CurrentService, releases: int = 0, files: int = 0, size: int = 0) -> Response:
    """Earlier work, with how much was just removed."""
    freed = f", {written_size(size)} in all" if size > 0 else ""
    return _kept(service, removed=f"{_both(releases, files)}{freed}." if releases or files else "")


def _kept(service: Service, *, status: int = 200, removed: str = "", refusal: str = "", days: str = "30") -> Response:
    return render(
        "jobs.html",
        status=status,
        here="jobs",
        releases=service.releases.all(),
        datasets=service.datasets.all().items(),
        size=written_size(size_of(service.settings.data)),
        free=written_size(shutil.disk_usage(service.settings.data).free),
        removed=removed,
        refusal=refusal,
        days=days,
    )


def _both(jobs: int, datasets: int) -> str:
    """Return numbers of releases and files, without what there is none of."""
    parts = [counted(number, word) for number, word in ((jobs, "release"), (datasets, "file")) if number]
    return " and ".join(parts) or "Nothing"


def _gone(request: Request, gone: Cleaned) -> Response:
    return go(request, f"/jobs?releases={gone.releases}&files={gone.datasets}&size={gone.bytes}")


@router.get("/clean")
@router.post("/clean")
def clean(request: Request, service: CurrentService, form: PostedForm, days: str = "") -> Response:
    """Remove what is older than so many days, if so much was seen and confirmed; else ask."""
    days = form.get("days", days)
    try:
        age = float(days.strip())
        releases, datasets = service.outdated(age)
    except ParameterError as error:
        return _kept(service, status=422, refusal=str(error), days=days)
    except ValueError:
        refusal = f"The age must be a number of days. Got {days.strip()!r} instead."
        return _kept(service, status=422, refusal=refusal, days=days)
    if not releases and not datasets:
        words = f"Nothing is older than {age:g} {'day' if age == 1 else 'days'}."
        return _kept(service, refusal=words, days=days)
    counts = {"jobs": str(len(releases)), "datasets": str(len(datasets))}
    if request.method == "POST" and all(form.get(name) == count for name, count in counts.items()):
        return _gone(request, service.clean(age))
    what = [f"The release of {one.name} with {one.order.guarantee}, by {one.order.method}" for one in releases]
    what += [f"The file {one.name}" for one in datasets.values()]
    title = f"Remove {_both(len(releases), len(datasets))}?"
    return confirmation(title, what, "/clean", back="/jobs", keep="Keep everything", days=days, **counts)


@router.get("/jobs/{id}/remove")
def job_removal(id: str, service: CurrentService) -> Response:
    """Ask whether one release is to go."""
    release = service.releases.get(id)
    note = "The file that it was made of stays."
    if not release.holds and release.job.active:
        note = f"It is still being made, and is stopped. {note}"
    title = "Remove this release?" if release.holds else "Remove this from the list?"
    what = f"{release.name} with {release.order.guarantee}, by {release.order.method}"
    return confirmation(title, [what], f"/jobs/{id}/remove", back="/jobs", note=note)


@router.post("/jobs/{id}/remove")
def remove_job(id: str, request: Request, service: CurrentService) -> Response:
    """Remove one release."""
    return _gone(request, Cleaned(1, 0, service.releases.drop(id)))


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
    if any(one.dataset == id and one.job.active for one in service.releases.all()):
        raise Conflict("A release of this file is being made. Cancel that first.")
    return _gone(request, Cleaned(0, 1, service.datasets.drop(id)))
