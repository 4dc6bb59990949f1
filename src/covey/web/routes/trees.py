"""The page of a taxonomy: proposed, looked at node by node, edited, and saved."""

from __future__ import annotations

from urllib.parse import quote

from fastapi import Request
from fastapi.responses import FileResponse, Response

from covey.errors import InputError, ParameterError
from covey.web import trees
from covey.web.rendering import CurrentService, PostedForm, confirmation, go, new_router, render, steps, waiting
from covey.web.service import Service

router = new_router()

#: What can be done to a node, in words.
EDITS = (("rename", "Rename it to"), ("move", "Move it below"), ("merge", "Merge it into"))
#: What a taxonomy can be proposed by.
GROUNDS = ("", "names", "codes", "together")


@router.post("/data/{id}/taxonomy/suggest")
def suggest(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Have a taxonomy proposed; one in use is replaced once somebody has confirmed that."""
    by, used = form.get("by", ""), service.datasets.choices(id).taxonomy
    if used and not form.get("replace"):
        title, action = "Replace the taxonomy?", f"/data/{id}/taxonomy/suggest"
        what = [used.rpartition("/")[2]]
        return confirmation(title, what, action, back=f"/data/{id}#taxonomy", by=by, replace="1")
    return go(request, f"/data/{id}/taxonomy/suggested?by={quote(by)}")


@router.get("/data/{id}/taxonomy/suggested")
def suggested(id: str, request: Request, service: CurrentService, by: str = "") -> Response:
    """Wait until a taxonomy is proposed, and use it."""
    data = service.datasets.get(id)
    data.require_ready()
    job = trees.propose(service.datasets, data, by if by in GROUNDS else "")
    if job.state == "done":
        trees.attach(service.datasets, data, "taxonomy.csv", job.path / "taxonomy.csv")
        service.jobs.remove(job.path)
        return go(request, f"/data/{id}/taxonomy")
    if job.state == "failed":
        service.jobs.remove(job.path)
        raise InputError(job.error)
    return waiting(request, "Proposing a taxonomy", data.name, f"/data/{id}")


@router.get("/data/{id}/taxonomy")
def taxonomy(id: str, service: CurrentService, node: str = "") -> Response:
    """One node of the taxonomy with its children, and the form that edits it."""
    return _page(service, id, node)


@router.post("/data/{id}/taxonomy/edit")
def edit(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Edit the taxonomy; a problem is shown beside the form, with what was typed."""
    label, target, what = form.get("node", ""), form.get("target", ""), form.get("edit", "")
    shown = form.get("shown", "")
    try:
        trees.edit(service.datasets, service.datasets.get(id), what, label, target)
    except (InputError, ParameterError) as error:
        return _page(service, id, shown, problem=str(error), typed=(what, label, target))
    where = target if what in ("rename", "merge") and shown == label else shown
    return go(request, f"/data/{id}/taxonomy?node={quote(where)}#edit")


@router.get("/data/{id}/taxonomy.csv")
def download(id: str, service: CurrentService) -> FileResponse:
    """The taxonomy as it stands."""
    path, _ = trees.taxonomy_of(service.datasets.get(id))
    return FileResponse(path, media_type="text/csv", filename="taxonomy.csv")


def _page(
    service: Service, id: str, node: str, *, problem: str = "", typed: tuple[str, str, str] = ("rename", "", "")
) -> Response:
    data = service.datasets.get(id)
    return render(
        "taxonomy.html",
        status=422 if problem else 200,
        steps=steps("data", data=id),
        it=data,
        node=trees.node_of(data, node),
        edits=EDITS,
        problem=problem,
        typed=typed,
    )
