"""The taxonomy of a dataset's items: attached, proposed, and downloaded to be edited."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

from fastapi import Request
from fastapi.responses import FileResponse, Response

from covey.errors import InputError
from covey.io.trees import read_taxonomy
from covey.web.data import PREPARED, TAXONOMY, Dataset, Datasets
from covey.web.problems import NotFound
from covey.web.rendering import CurrentService, PostedForm, confirmation, go, new_router, waiting

router = new_router()

#: What a taxonomy can be proposed by.
GROUNDS = ("", "names", "codes", "together")


def attach(datasets: Datasets, data: Dataset, name: str, path: Path) -> None:
    """Use a file that has arrived as the taxonomy, if it has any of the items."""
    try:
        tree = read_taxonomy(path)
    except InputError as error:
        path.unlink(missing_ok=True)
        raise InputError(str(error).replace(str(path), name)) from None
    if not any(item in tree for item in data.supports):
        path.unlink(missing_ok=True)
        remedy = f"Its column child must hold items as the data writes them, such as {next(iter(data.supports))!r}."
        raise InputError("has none of the items of the data", file=name, remedy=remedy)
    datasets.attach(data, TAXONOMY, name, path)


@router.post("/data/{id}/taxonomy/suggest")
def suggest(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Have a taxonomy proposed; one in use is replaced once somebody has confirmed that."""
    by, used = form.get("by", ""), service.datasets.choices(id).taxonomy
    if used and not form.get("replace"):
        title, action = "Replace the taxonomy?", f"/data/{id}/taxonomy/suggest"
        return confirmation(title, [Path(used).name], action, back=f"/data/{id}#taxonomy", by=by, replace="1")
    return go(request, f"/data/{id}/taxonomy/suggested?by={quote(by)}")


@router.get("/data/{id}/taxonomy/suggested")
def suggested(id: str, request: Request, service: CurrentService, by: str = "") -> Response:
    """Wait until a taxonomy is proposed, and use it."""
    data = service.datasets.get(id)
    data.require_ready()
    by = by if by in GROUNDS else ""

    def command(path: Path) -> Sequence[str]:
        grounds = ["--by", by] if by else []
        return ["taxonomy", "suggest", str(path / PREPARED), "-o", str(path / "taxonomy.csv"), *grounds, "--no-cost"]

    job = service.datasets.run(data, "tree", command, by=by, marked=False)
    if job.active:
        return waiting(request, "Proposing a taxonomy", data.name, f"/data/{id}")
    if job.state == "done":
        attach(service.datasets, data, "taxonomy.csv", job.path / "taxonomy.csv")
    service.jobs.remove(job.path)
    if job.error:
        raise InputError(job.error)
    return go(request, f"/data/{id}#taxonomy")


@router.get("/data/{id}/taxonomy.csv")
def download(id: str, service: CurrentService) -> FileResponse:
    """The taxonomy as it stands."""
    path = service.datasets.choices(id).taxonomy
    if path is None:
        raise NotFound("This data has no taxonomy. Add one, or let covey propose one.")
    return FileResponse(path, media_type="text/csv", filename="taxonomy.csv")
