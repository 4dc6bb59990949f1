"""The JSON API under ``/api/v1``: everything that the pages can do."""

# No postponed annotations here: FastAPI reads them, and those of nested functions would be out of its sight.

from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Body, Path, Query, Request
from fastapi.responses import FileResponse, PlainTextResponse, Response
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter
from starlette.concurrency import run_in_threadpool

from covey.web.outcomes import (
    Answer,
    Cleaned,
    Comparison,
    Groups,
    Job,
    Recipe,
    Results,
)
from covey.web.records import (
    Dataset,
    Entry,
    GuaranteeChoice,
    Items,
    Listed,
    MethodChoice,
    Risk,
)
from covey.web.steward import Steward
from covey.web.uploads import receive

PREFIX = "/api/v1"

Id = Annotated[str, Path(pattern="^[0-9a-f]{12}$", examples=["0123456789ab"])]
Name = Annotated[str, Query(min_length=1, max_length=300, description="What the file is called.")]
Offset = Annotated[int, Query(ge=0, le=2**31)]
Search = Annotated[str, Query(max_length=300)]
Labels = Annotated[list[Annotated[str, Field(max_length=10_000)]], Field(max_length=100_000)]
Scalar = str | int | float | bool | None

_JOB = TypeAdapter(Job)


class Problem(BaseModel):
    """An error (RFC 9457)."""

    type: str = "about:blank"
    title: str
    status: int
    detail: str = Field(description="What was wrong, where, and what would work.")
    best: Any = Field(default=None, description="When infeasible: the strongest parameter that would work.")


class Strict(BaseModel):
    """A body without fields that nobody asked for."""

    model_config = ConfigDict(extra="forbid")


class Pick(Strict):
    """A file below the root."""

    path: str = Field(max_length=4_000, examples=["sales.csv"])


class Demo(Strict):
    """Which generated data to try."""

    name: str = Field(default="shop", max_length=50)


class Reading(Strict):
    """How a dataset is to be read; replaces what was said before."""

    kind: str | None = Field(default=None, max_length=50, examples=["baskets"])
    options: dict[str, str | list[str] | None] = Field(default_factory=dict)


class Names(Strict):
    """A list of what is sensitive."""

    text: str = Field(max_length=10_000_000, description="One item or issue a line.")
    skip_unknown: bool = Field(default=False, description="Mark the others when the data lacks some.")


class Wish(Strict):
    """A release to be made."""

    dataset: str = Field(max_length=50)
    guarantee: str = Field(max_length=500, examples=["degree(p=10)"])
    method: str | None = Field(default=None, max_length=100)
    options: dict[str, Scalar] = Field(default_factory=dict)
    seed: int | None = Field(default=None, ge=0, le=2**63)


class Age(Strict):
    """What is too old to keep."""

    older_than_days: float = Field(ge=0, le=100_000, allow_inf_nan=False)


class Fit(BaseModel):
    """A dataset with its taxonomy, and how that fits."""

    dataset: Dataset
    fit: dict[str, Any]


class Promise(BaseModel):
    """A guarantee in plain words, and whether the data allows it."""

    text: str
    short: str
    meaning: list[str]
    limits: list[str]
    problem: str | None
    best: float | None
    warnings: list[str]


class Status(BaseModel):
    """The server's state."""

    covey: str
    root: bool
    max_upload: int
    parallel: int
    memory: int | None
    free_disk: int
    queued: int
    running: int
    demos: list[str]


def add_api(router: APIRouter, steward: Steward) -> None:
    """Add all routes to a router that stands under `PREFIX`."""
    _add_datasets(router, steward)
    _add_choices(router, steward)
    _add_jobs(router, steward)
    _add_results(router, steward)

    @router.get("/status", tags=["server"])
    def status() -> Status:
        """Version, limits, and how much is under way."""
        return Status(**steward.status())

    @router.post("/clean", tags=["server"])
    def clean(age: Age) -> Cleaned:
        """Remove jobs that ended, and datasets that nothing uses, that are older than so many days."""
        return steward.clean(age.older_than_days)


#: The body of a request that is a file.
_FILE = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


def _add_datasets(router: APIRouter, steward: Steward) -> None:
    tags: Any = ["datasets"]

    @router.post("/datasets", status_code=201, tags=tags, openapi_extra=_FILE)
    async def upload(request: Request, name: Name = "data") -> Dataset:
        """Upload a file: its bytes are the body, streamed to disk."""
        arrived = await receive(request, steward, name=name)
        return await run_in_threadpool(steward.upload_file, arrived.name, arrived.path)

    @router.post("/datasets/pick", status_code=201, tags=tags)
    def pick(wanted: Pick) -> Dataset:
        """Use a file below the folder that was opened with --root."""
        return steward.pick(wanted.path)

    @router.post("/datasets/demo", status_code=201, tags=tags)
    def demo(wanted: Demo) -> Dataset:
        """Generate data to try things with."""
        return steward.demo(wanted.name)

    @router.get("/files", tags=tags)
    def browse(folder: Annotated[str, Query(max_length=4_000)] = "") -> list[Entry]:
        """Files and folders below the folder that was opened with --root."""
        return steward.browse(folder)

    @router.get("/datasets", tags=tags)
    async def datasets() -> list[Dataset]:
        """All datasets, the newest first."""
        return steward.datasets()

    @router.get("/datasets/{id}", tags=tags)
    async def dataset(id: Id) -> Dataset:
        """One dataset; ask again while its state is ``pending``."""
        return steward.dataset(id)

    @router.delete("/datasets/{id}", status_code=204, tags=tags)
    def remove(id: Id) -> None:
        """Forget a dataset and remove what the server keeps of it."""
        steward.remove_dataset(id)

    @router.put("/datasets/{id}/reading", tags=tags)
    def configure(id: Id, wanted: Reading) -> Dataset:
        """Say how a dataset is to be read: its kind, format, columns and roles."""
        return steward.configure(id, kind=wanted.kind, options=wanted.options)

    @router.get("/datasets/{id}/items", tags=tags)
    def items(
        id: Id,
        search: Search = "",
        offset: Offset = 0,
        limit: Annotated[int, Query(ge=1, le=1_000)] = 50,
        sensitive: bool = False,
    ) -> Items:
        """Items, issues or columns that hold a text, the most frequent first."""
        return steward.items(id, search, offset=offset, limit=limit, sensitive=sensitive)

    @router.put("/datasets/{id}/sensitive", tags=tags)
    def set_sensitive(id: Id, labels: Annotated[Labels, Body()]) -> Dataset:
        """Mark exactly these items, issues or columns as sensitive."""
        return steward.set_sensitive(id, labels)

    @router.post("/datasets/{id}/sensitive/list", tags=tags)
    def mark_listed(id: Id, names: Names) -> Listed:
        """Mark the items or issues of a list too; nothing is marked while some are unknown, unless allowed."""
        return steward.mark_listed(id, names.text, skip_unknown=names.skip_unknown)

    @router.put("/datasets/{id}/taxonomy", tags=tags, openapi_extra=_FILE)
    async def attach_taxonomy(id: Id, request: Request, name: Name = "taxonomy.csv") -> Fit:
        """Upload how items may be generalized."""
        steward.dataset(id)
        arrived = await receive(request, steward, name=name)
        dataset, fit = await run_in_threadpool(steward.attach_taxonomy, id, arrived.name, arrived.path)
        return Fit(dataset=dataset, fit=fit)

    @router.delete("/datasets/{id}/taxonomy", tags=tags)
    def detach_taxonomy(id: Id) -> Dataset:
        """Do without a taxonomy."""
        return steward.detach_taxonomy(id)

    @router.put("/datasets/{id}/hierarchies/{column}", tags=tags, openapi_extra=_FILE)
    async def attach_hierarchy(
        id: Id, column: str, request: Request, name: Name = "hierarchy.csv"
    ) -> Dataset:
        """Upload how the values of a table's column may be generalized."""
        steward.dataset(id)
        arrived = await receive(request, steward, name=name)
        return await run_in_threadpool(steward.attach_hierarchy, id, column, arrived.name, arrived.path)

    @router.delete("/datasets/{id}/hierarchies/{column}", tags=tags)
    def detach_hierarchy(id: Id, column: str) -> Dataset:
        """Do without the hierarchy of a column."""
        return steward.detach_hierarchy(id, column)


def _add_choices(router: APIRouter, steward: Steward) -> None:
    tags: Any = ["choices"]

    @router.get("/datasets/{id}/risk", tags=tags)
    def risk(id: Id) -> Risk:
        """How exposed people are in the original; ask again while its state is ``pending``."""
        return steward.risk(id)

    @router.get("/datasets/{id}/guarantees", tags=tags)
    def guarantees(id: Id) -> list[GuaranteeChoice]:
        """What can be promised, the most fitting first; the feasible range is known once the risk is."""
        return steward.guarantees(id)

    @router.get("/datasets/{id}/promise", tags=tags)
    def promise(id: Id, guarantee: Annotated[str, Query(max_length=500)]) -> Promise:
        """A guarantee with its parameters in plain words, and whether the data allows it."""
        return Promise(**steward.explain(id, guarantee))

    @router.get("/datasets/{id}/methods", tags=tags)
    def methods(id: Id, guarantee: Annotated[str, Query(max_length=500)]) -> list[MethodChoice]:
        """The methods that keep a guarantee, the recommended one first."""
        return steward.methods(id, guarantee)


def _add_jobs(router: APIRouter, steward: Steward) -> None:
    tags: Any = ["jobs"]

    @router.post("/jobs", status_code=201, tags=tags)
    def start(wish: Wish) -> Job:
        """Queue the making of a release."""
        return steward.start(wish.dataset, wish.guarantee, wish.method, wish.options, wish.seed)

    @router.get("/jobs", tags=tags)
    async def jobs() -> list[Job]:
        """All jobs, the newest first."""
        return steward.jobs()

    @router.get("/jobs/{id}", tags=tags, response_model=Job)
    async def job(id: Id) -> Response:
        """One job as it stands."""
        # What everybody polls is written without being validated again.
        return Response(_JOB.dump_json(steward.job(id)), media_type="application/json")

    @router.post("/jobs/{id}/cancel", tags=tags)
    def cancel(id: Id) -> Job:
        """End a job that is queued or running."""
        return steward.cancel(id)

    @router.delete("/jobs/{id}", status_code=204, tags=tags)
    def remove(id: Id) -> None:
        """Forget a job and remove its release."""
        steward.remove_job(id)


def _binary(kind: str) -> Callable[..., Any]:
    return lambda what: {200: {"description": what, "content": {kind: {"schema": {"type": "string"}}}}}


def _add_results(router: APIRouter, steward: Steward) -> None:
    tags: Any = ["results"]

    @router.get("/jobs/{id}/results", tags=tags)
    def results(id: Id) -> Results:
        """Utility, attacks and what else was measured."""
        return steward.results(id)

    @router.get(
        "/jobs/{id}/pictures/{number}",
        tags=tags,
        response_class=FileResponse,
        responses=_binary("image/png")("The picture."),
    )
    def picture(id: Id, number: Annotated[int, Path(ge=0, le=99)]) -> FileResponse:
        """A picture of what is published as a band matrix."""
        return FileResponse(steward.picture(id, number), media_type="image/png")

    @router.get("/jobs/{id}/groups", tags=tags)
    def groups(id: Id, offset: Offset = 0, limit: Annotated[int, Query(ge=1, le=100)] = 10) -> Groups:
        """One page of the groups of a release, or of its classes of equal rows."""
        return steward.groups(id, offset=offset, limit=limit)

    @router.get("/jobs/{id}/labels", tags=tags)
    def labels(id: Id, search: Search = "", limit: Annotated[int, Query(ge=1, le=1_000)] = 20) -> Items:
        """Published items that hold a text, the most frequent first."""
        return steward.labels(id, search, limit=limit)

    @router.get("/jobs/{id}/query", tags=tags)
    def query(
        id: Id,
        sensitive: Annotated[str, Query(max_length=10_000)],
        present: Annotated[list[str] | None, Query()] = None,
        absent: Annotated[list[str] | None, Query()] = None,
    ) -> Answer:
        """Estimate how many transactions hold a sensitive item together with, or without, others."""
        return steward.query(id, sensitive, present or [], absent or [])

    @router.get("/jobs/{id}/compare/{other}", tags=tags)
    def compare(id: Id, other: Id) -> Comparison:
        """Two finished jobs side by side."""
        return steward.compare(id, other)

    @router.get("/jobs/{id}/recipe", tags=tags)
    def recipe(id: Id) -> Recipe:
        """The command and the Python script that do the same."""
        return steward.recipe(id)

    @router.get(
        "/jobs/{id}/release.zip",
        tags=tags,
        response_class=FileResponse,
        responses=_binary("application/zip")("The release: its manifest and the files it vouches for."),
    )
    def packed(id: Id) -> FileResponse:
        """Download the release."""
        return FileResponse(steward.packed(id), media_type="application/zip", filename="release.zip")

    @router.get(
        "/jobs/{id}/report.html",
        tags=tags,
        response_class=FileResponse,
        responses=_binary("text/html")("The report; it is made with the original, so it stays inside."),
    )
    def report(id: Id) -> FileResponse:
        """Download the report."""
        return FileResponse(steward.report(id), media_type="text/html", filename="report.html")

    @router.get(
        "/jobs/{id}/sensitive.txt",
        tags=tags,
        response_class=PlainTextResponse,
        responses=_binary("text/plain")("One item a line."),
    )
    def sensitive_list(id: Id) -> PlainTextResponse:
        """The sensitive items of a job, as the command line reads them."""
        return PlainTextResponse(steward.sensitive_list(id))
