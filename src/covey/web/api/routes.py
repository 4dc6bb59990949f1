"""The JSON API under ``/api/v1``: everything that the pages can do."""

# No postponed annotations here: FastAPI reads them, and those of nested functions would be out of its sight.

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Path, Query, Request
from fastapi.responses import FileResponse, PlainTextResponse, Response
from pydantic import TypeAdapter
from starlette.concurrency import run_in_threadpool

from covey.release.about import About
from covey.web.api.bodies import (
    Age,
    Demo,
    Fit,
    Id,
    Labels,
    Name,
    Names,
    Offset,
    Pick,
    Promise,
    Reading,
    ReleaseRequest,
    Search,
    Status,
)
from covey.web.records.choices import GuaranteeChoice, MethodChoice
from covey.web.records.datasets import Dataset, FolderEntry, Items, MarkedList, Risk
from covey.web.records.jobs import Cleaned, Job, Removed
from covey.web.records.results import Answer, Commands, Comparison, Groups, Questions, Results
from covey.web.server.folders import listing
from covey.web.server.service import Service
from covey.web.server.uploads import receive

PREFIX = "/api/v1"

_JOB = TypeAdapter(Job)


def add_api(router: APIRouter, service: Service) -> None:
    """Add all routes to a router that stands under `PREFIX`."""
    _add_datasets(router, service)
    _add_choices(router, service)
    _add_jobs(router, service)
    _add_results(router, service)

    @router.get("/status", tags=["server"])
    def status() -> Status:
        """Version, limits, and how much is under way."""
        return Status(**service.status())

    @router.post("/clean", tags=["server"])
    def clean(age: Age) -> Cleaned:
        """Remove jobs that ended, and datasets that nothing uses, that are older than so many days, for good."""
        return service.clean(age.older_than_days)

    @router.get("/removed", tags=["server"])
    def removed() -> list[Removed]:
        """Jobs and datasets that were removed and can be put back, the latest first."""
        return service.bin.all()

    @router.post("/removed/{id}/restore", tags=["server"])
    def restore(id: Id) -> Removed:
        """Put back a job or dataset that was removed."""
        return service.bin.put_back(id)

    @router.delete("/removed/{id}", tags=["server"])
    def remove_for_good(id: Id) -> Cleaned:
        """Remove for good what could be put back."""
        return service.bin.drop(id)


#: The body of a request that is a file.
_FILE = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


def _add_datasets(router: APIRouter, service: Service) -> None:
    tags: Any = ["datasets"]

    @router.post("/datasets", status_code=201, tags=tags, openapi_extra=_FILE)
    async def upload(request: Request, name: Name = "data") -> Dataset:
        """Upload a file: its bytes are the body, streamed to disk."""
        arrived = await receive(request, service.settings, name=name)
        return await run_in_threadpool(service.datasets.upload, arrived.name, arrived.path)

    @router.post("/datasets/pick", status_code=201, tags=tags)
    def pick(wanted: Pick) -> Dataset:
        """Use a file below the folder that was opened with --root."""
        return service.datasets.pick(wanted.path)

    @router.post("/datasets/demo", status_code=201, tags=tags)
    def demo(wanted: Demo) -> Dataset:
        """Generate data to try things with."""
        return service.datasets.demo(wanted.name)

    @router.get("/files", tags=tags)
    def browse(folder: Annotated[str, Query(max_length=4_000)] = "") -> list[FolderEntry]:
        """Files and folders below the folder that was opened with --root."""
        return listing(service.settings.root, folder)

    @router.get("/datasets", tags=tags)
    async def datasets() -> list[Dataset]:
        """All datasets, the newest first."""
        return service.datasets.all()

    @router.get("/datasets/{id}", tags=tags)
    async def dataset(id: Id) -> Dataset:
        """One dataset; ask again while its state is ``pending``."""
        return service.datasets.get(id)

    @router.delete("/datasets/{id}", status_code=204, tags=tags)
    def remove(id: Id, for_good: bool = True) -> None:
        """Forget a dataset and remove what the server keeps of it: for good, or so that it can be put back."""
        service.remove_dataset(id, for_good=for_good)

    @router.put("/datasets/{id}/reading", tags=tags)
    def configure(id: Id, wanted: Reading) -> Dataset:
        """Say how a dataset is to be read: its kind, format, columns and roles."""
        return service.datasets.configure(id, kind=wanted.kind, options=wanted.options)

    @router.get("/datasets/{id}/items", tags=tags)
    def items(
        id: Id,
        search: Search = "",
        offset: Offset = 0,
        limit: Annotated[int, Query(ge=1, le=1_000)] = 50,
        sensitive: bool = False,
    ) -> Items:
        """Items, issues or columns that fit a text or pattern, the most frequent first."""
        return service.sensitive.search(id, search, offset=offset, limit=limit, marked=sensitive)

    @router.put("/datasets/{id}/sensitive", tags=tags)
    def set_sensitive(id: Id, labels: Annotated[Labels, Body()]) -> Dataset:
        """Mark exactly these items, issues or columns as sensitive."""
        return service.sensitive.mark(id, labels)

    @router.post("/datasets/{id}/sensitive/undo", tags=tags)
    def undo_marks(id: Id) -> Dataset:
        """Mark exactly what was marked before several marks changed at once."""
        return service.sensitive.undo(id)

    @router.post("/datasets/{id}/sensitive/list", tags=tags)
    def mark_listed(id: Id, names: Names) -> MarkedList:
        """Mark the items or issues of a list too; nothing is marked while some are unknown, unless allowed."""
        return service.sensitive.mark_list(id, names.text, skip_unknown=names.skip_unknown)

    @router.put("/datasets/{id}/taxonomy", tags=tags, openapi_extra=_FILE)
    async def attach_taxonomy(id: Id, request: Request, name: Name = "taxonomy.csv") -> Fit:
        """Upload how items may be generalized."""
        service.datasets.get(id)
        arrived = await receive(request, service.settings, name=name)
        dataset, fit = await run_in_threadpool(service.trees.attach_taxonomy, id, arrived.name, arrived.path)
        return Fit(dataset=dataset, fit=fit)

    @router.delete("/datasets/{id}/taxonomy", tags=tags)
    def detach_taxonomy(id: Id) -> Dataset:
        """Do without a taxonomy."""
        return service.trees.detach_taxonomy(id)

    @router.put("/datasets/{id}/hierarchies/{column}", tags=tags, openapi_extra=_FILE)
    async def attach_hierarchy(id: Id, column: str, request: Request, name: Name = "hierarchy.csv") -> Dataset:
        """Upload how the values of a table's column may be generalized."""
        service.datasets.get(id)
        arrived = await receive(request, service.settings, name=name)
        return await run_in_threadpool(service.trees.attach_hierarchy, id, column, arrived.name, arrived.path)

    @router.post("/datasets/{id}/restore", tags=tags)
    def put_back(id: Id, what: Annotated[str, Query(max_length=4_000)]) -> Dataset:
        """Use again what was taken away: ``taxonomy``, ``hierarchies/COLUMN`` or ``files/OPTION``."""
        return service.trees.put_back(id, what)

    @router.put("/datasets/{id}/files/{option}", tags=tags, openapi_extra=_FILE)
    async def attach_file(id: Id, option: str, request: Request, person: str = "", name: Name = "items.csv") -> Dataset:
        """Upload a second file, such as the items of records; `person` is the column that names persons in both."""
        service.datasets.get(id)
        arrived = await receive(request, service.settings, name=name)
        return await run_in_threadpool(service.trees.attach_file, id, option, arrived.name, arrived.path, person)

    @router.delete("/datasets/{id}/files/{option}", tags=tags)
    def detach_file(id: Id, option: str) -> Dataset:
        """Do without a second file."""
        return service.trees.detach_file(id, option)

    @router.delete("/datasets/{id}/hierarchies/{column}", tags=tags)
    def detach_hierarchy(id: Id, column: str) -> Dataset:
        """Do without the hierarchy of a column."""
        return service.trees.detach_hierarchy(id, column)


def _add_choices(router: APIRouter, service: Service) -> None:
    tags: Any = ["choices"]

    @router.get("/datasets/{id}/risk", tags=tags)
    def risk(id: Id) -> Risk:
        """How exposed people are in the original; ask again while its state is ``pending``."""
        return service.exposure.risk(id)

    @router.get("/datasets/{id}/guarantees", tags=tags)
    def guarantees(id: Id) -> list[GuaranteeChoice]:
        """What can be promised, the most fitting first; the feasible range is known once the risk is."""
        return service.choices.guarantees(id)

    @router.get("/datasets/{id}/promise", tags=tags)
    def promise(id: Id, guarantee: Annotated[str, Query(max_length=500)]) -> Promise:
        """A guarantee with its parameters in plain words, and whether the data allows it."""
        return Promise(**service.choices.explain(id, guarantee))

    @router.get("/datasets/{id}/methods", tags=tags)
    def methods(id: Id, guarantee: Annotated[str, Query(max_length=500)]) -> list[MethodChoice]:
        """The methods that keep a guarantee, the recommended one first."""
        return service.choices.methods(id, guarantee)


def _add_jobs(router: APIRouter, service: Service) -> None:
    tags: Any = ["jobs"]

    @router.post("/jobs", status_code=201, tags=tags)
    def start(wanted: ReleaseRequest) -> Job:
        """Queue the making of a release."""
        about = About(title=wanted.title, license=wanted.license, contact=wanted.contact)
        return service.start(
            wanted.dataset, wanted.guarantee, wanted.method, wanted.options, wanted.seed, wanted.audit, about
        )

    @router.put("/datasets/{id}/project", status_code=201, tags=tags, openapi_extra=_FILE)
    async def use_project(id: Id, request: Request, name: Name = "project.toml") -> Job:
        """Upload a project: the dataset is read and marked as it says, and its release is queued."""
        service.datasets.get(id)
        arrived = await receive(request, service.settings, name=name)
        try:
            return await run_in_threadpool(service.projects.apply, id, arrived.name, arrived.path)
        finally:
            arrived.discard()

    @router.get("/datasets/{id}/trade", tags=tags)
    def trade(id: Id, guarantee: Annotated[str, Query(max_length=500)]) -> dict[str, Any]:
        """What releases of several strengths and methods keep and risk, as far as they are measured."""
        found = service.trades.found(id, guarantee)
        rows = [{"job": job.id, **row} for job, row in zip(found.measured, found.trade.rows(), strict=True)]
        return {"points": rows, "active": [job.id for job in found.active], "why": found.trade.why}

    @router.get("/jobs", tags=tags)
    async def jobs() -> list[Job]:
        """All jobs, the newest first."""
        return service.jobs.all()

    @router.get("/jobs/{id}", tags=tags, response_model=Job)
    async def job(id: Id) -> Response:
        """One job as it stands."""
        # What everybody polls is written without being validated again.
        return Response(_JOB.dump_json(service.jobs.get(id)), media_type="application/json")

    @router.post("/jobs/{id}/cancel", tags=tags)
    def cancel(id: Id) -> Job:
        """End a job that is queued or running."""
        return service.jobs.cancel(id)

    @router.delete("/jobs/{id}", status_code=204, tags=tags)
    def remove(id: Id, for_good: bool = True) -> None:
        """Forget a job and remove its release: for good, or so that it can be put back."""
        service.remove_job(id, for_good=for_good)


def _download(kind: str, what: str, answer: type[Response] = FileResponse) -> dict[str, Any]:
    """How a route that answers with a file is described."""
    content = {kind: {"schema": {"type": "string"}}}
    return {
        "tags": ["results"],
        "response_class": answer,
        "responses": {200: {"description": what, "content": content}},
    }


def _add_results(router: APIRouter, service: Service) -> None:
    tags: Any = ["results"]

    @router.get("/jobs/{id}/results", tags=tags)
    def results(id: Id) -> Results:
        """Utility, attacks and what else was measured."""
        return service.releases.results(id)

    @router.get("/jobs/{id}/pictures/{number}", **_download("image/png", "The picture."))
    def picture(id: Id, number: Annotated[int, Path(ge=0, le=99)]) -> FileResponse:
        """A picture of what is published as a band matrix."""
        return FileResponse(service.releases.picture(id, number), media_type="image/png")

    @router.get("/jobs/{id}/groups", tags=tags)
    def groups(
        id: Id,
        offset: Offset = 0,
        limit: Annotated[int, Query(ge=1, le=100)] = 10,
        order: Literal["", "largest", "smallest", "risk"] = "",
        search: Search = "",
    ) -> Groups:
        """One page of the groups of a release, or of its classes of equal rows; those in which a text occurs."""
        return service.releases.groups(id, offset=offset, limit=limit, order=order, search=search)

    @router.get("/jobs/{id}/labels", tags=tags)
    def labels(id: Id, search: Search = "", limit: Annotated[int, Query(ge=1, le=1_000)] = 20) -> Items:
        """Published items that hold a text, the most frequent first."""
        return service.releases.labels(id, search, limit=limit)

    @router.get("/jobs/{id}/questions", tags=tags)
    def questions(id: Id) -> Questions:
        """What a release can be asked."""
        return service.releases.questions(id)

    @router.get("/jobs/{id}/query", tags=tags)
    def query(
        id: Id,
        sensitive: Annotated[str, Query(max_length=10_000)] = "",
        present: Annotated[list[str] | None, Query()] = None,
        absent: Annotated[list[str] | None, Query()] = None,
    ) -> Answer:
        """Estimate how many transactions hold some items and not others; in groups, with a sensitive one."""
        return service.releases.query(id, sensitive, present or [], absent or [])

    @router.get("/jobs/{id}/compare/{other}", tags=tags)
    def compare(id: Id, other: Id) -> Comparison:
        """Two finished jobs side by side."""
        return service.releases.compare(id, other)

    @router.get("/jobs/{id}/commands", tags=tags)
    def commands(id: Id) -> Commands:
        """The command and the Python script that do the same."""
        return service.releases.commands(id)

    @router.get(
        "/jobs/{id}/release.zip",
        **_download("application/zip", "The release: its manifest and the files it vouches for."),
    )
    def archive(id: Id, csv: bool = False) -> FileResponse:
        """Download the release, with a copy in CSV beside it if asked for."""
        path = service.releases.archive(id, csv=csv)
        return FileResponse(path, media_type="application/zip", filename="release.zip")

    @router.get("/jobs/{id}/report-to-share.html", **_download("text/html", "The report made from the release alone."))
    def shared_report(id: Id) -> FileResponse:
        """Download the report that may go with the release."""
        return FileResponse(service.releases.shared_report(id), media_type="text/html", filename="report.html")

    @router.get("/jobs/{id}/project.toml", **_download("text/plain", "A project.", PlainTextResponse))
    def project(id: Id) -> PlainTextResponse:
        """The choices behind a release, for the next file."""
        return PlainTextResponse(service.projects.of_job(id))

    @router.get(
        "/jobs/{id}/report.html",
        **_download("text/html", "The report; it is made with the original, so it stays inside."),
    )
    def report(id: Id) -> FileResponse:
        """Download the report."""
        return FileResponse(service.releases.report(id), media_type="text/html", filename="report.html")

    @router.get("/jobs/{id}/sensitive.txt", **_download("text/plain", "One item per line.", PlainTextResponse))
    def sensitive_list(id: Id) -> PlainTextResponse:
        """The sensitive items of a job, as the command line reads them."""
        return PlainTextResponse(service.releases.sensitive_list(id))
