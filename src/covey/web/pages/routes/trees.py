"""The page of a taxonomy: proposed, looked at node by node, edited, and saved."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from fastapi import Request
from fastapi.responses import FileResponse, Response

from covey.errors import InputError
from covey.web.pages.rendering import CurrentService, PostedForm, confirmation, go, new_router, render, steps
from covey.web.server.problems import TaskError
from covey.web.server.service import Service

router = new_router()

#: What can be done to a node, in words.
EDITS = (("rename", "Rename it to"), ("move", "Move it below"), ("merge", "Merge it into"))


@router.post("/data/{id}/taxonomy/suggest")
def suggest(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Propose a taxonomy, and show it; one in use is replaced once somebody has confirmed that."""
    by, used = form.get("by", ""), service.datasets.get(id).taxonomy
    if used and not form.get("replace"):
        title, action = "Replace the taxonomy?", f"/data/{id}/taxonomy/suggest"
        return confirmation(title, [used], action, back=f"/data/{id}#taxonomy", by=by, replace="1")
    service.trees.suggest_taxonomy(id, by)
    return go(request, f"/data/{id}/taxonomy")


@router.get("/data/{id}/taxonomy")
def taxonomy(id: str, service: CurrentService, node: str = "") -> Response:
    """One node of the taxonomy with its children, and the form that edits it."""
    return _page(service, id, node)


@router.get("/data/{id}/taxonomy/below")
def below(id: str, service: CurrentService, node: str = "") -> Response:
    """What is below a node that was opened."""
    return render("taxonomy_children.html", it=service.datasets.get(id), node=service.trees.node(id, node))


@router.post("/data/{id}/taxonomy/edit")
def edit(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Edit the taxonomy; a problem is shown beside the form, with what was typed."""
    label, target, what = form.get("node", ""), form.get("target", ""), form.get("edit", "")
    try:
        service.trees.edit_taxonomy(id, what, label, target)
    except (InputError, TaskError) as error:
        if isinstance(error, TaskError) and error.cause != "InputError":
            raise
        return _page(service, id, form.get("shown", ""), problem=str(error), typed=(what, label, target))
    where = target if what in ("rename", "merge") and form.get("shown") == label else form.get("shown", "")
    return go(request, f"/data/{id}/taxonomy?node={quote(where)}#edit")


@router.get("/data/{id}/taxonomy.csv")
def download(id: str, service: CurrentService) -> FileResponse:
    """The taxonomy as it stands."""
    return FileResponse(service.trees.taxonomy_file(id), media_type="text/csv", filename="taxonomy.csv")


def _page(
    service: Service, id: str, node: str, *, problem: str = "", typed: tuple[str, str, str] = ("rename", "", "")
) -> Response:
    data = service.datasets.get(id)
    found: dict[str, Any] = service.trees.node(id, node)
    return render(
        "taxonomy.html",
        status=422 if problem else 200,
        steps=steps("data", data=id),
        it=data,
        node=found,
        edits=EDITS,
        problem=problem,
        typed=typed,
    )
