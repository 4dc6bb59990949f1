"""Steps 1 and 2 of the page: a file, and what it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import quote

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse, Response

from covey.data.kinds import data_kind
from covey.errors import InputError
from covey.io.trees import read_hierarchy, read_taxonomy
from covey.report.inspection import DESCRIPTIONS
from covey.report.taxonomy_view import tree_lines
from covey.web import marking
from covey.web.choices import reading_inputs, reading_of
from covey.web.data import (
    GONE,
    HIERARCHY,
    TAXONOMY,
    Choices,
    Dataset,
    Datasets,
    roles_of,
    second_files,
    undecided,
    with_roles,
)
from covey.web.demos import DEMOS
from covey.web.folders import listing, written_size
from covey.web.problems import NotFound
from covey.web.rendering import (
    CurrentService,
    PostedForm,
    confirmation,
    go,
    new_router,
    render,
    steps,
    waiting,
    words_for,
)
from covey.web.routes import taxonomy
from covey.web.service import Service
from covey.web.uploads import Upload, receive
from covey.web.words import ROLES, reading_label

router = new_router()

#: Sensitive items that are shown as marked, unknown names of a list, and lines of a taxonomy.
MARKED, NAMED, TREE = 60, 30, 200
#: The kinds of warnings that the page shows as questions.
ASKED = ("UnnamedPersons",)


@router.get("/")
def home(service: CurrentService, folder: str = "") -> Response:
    """Step 1: a file."""
    browsing, root = None, service.settings.root
    if root is not None:
        parts = [part for part in folder.split("/") if part]
        browsing = {
            "where": "/".join([root.name or "/", *parts]),
            "up": "/".join(parts[:-1]) if parts else None,
            "entries": listing(root, folder),
        }
    limit = written_size(service.settings.max_upload)
    return render("home.html", steps=steps("file"), limit=limit, demos=DEMOS.items(), browsing=browsing)


@router.post("/upload")
async def upload(request: Request, service: CurrentService) -> Response:
    """Take a file from a form, streamed to disk."""
    got = await receive(request, service.settings)
    return go(request, f"/data/{await run_in_threadpool(service.datasets.upload, got.name, got.path)}")


@router.post("/pick")
def pick(request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Take a file below the root."""
    return go(request, f"/data/{service.datasets.pick(form.get('path', ''))}")


@router.post("/demo")
def demo(request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Generate data."""
    return go(request, f"/data/{service.datasets.demo(form.get('name', 'shop'))}")


@router.get("/data/{id}")
def data_page(id: str, request: Request, service: CurrentService, search: str = "") -> Response:
    """Step 2: what the file is, once its beginning was looked at."""
    data = service.datasets.get(id)
    if data.look.active:
        return waiting(request, "Recognizing the file", data.name, f"/data/{id}/remove")
    return _page(data, search)


def _page(data: Dataset, search: str = "", listed: Mapping[str, Any] | None = None) -> Response:
    """Return step 2 with the items that fit a search, and what became of a list, if one was given."""
    found: dict[str, Any] | None = None
    problem, tree, lacking = "", list[str](), 0
    if data.state == "ready" and not data_kind(data.kind).by_roles:
        try:
            found = marking.search(data, search)
        except InputError as error:  # a pattern that is none
            found, problem = {"total": 0, "shown": []}, str(error)
    if data.state == "ready" and data.choices.taxonomy is not None:
        known = read_taxonomy(data.choices.taxonomy)
        tree = list(islice(tree_lines(known, data.supports, depth=3), TREE))
        lacking = sum(item not in known for item in data.supports)
    unsure = undecided(data)
    decided = data.state != "failed" and not unsure and "unnamed_persons" not in data.shape
    nothing = {"listed": None, "list_text": "", "list_problem": ""}
    return render(
        "data.html",
        # The button of the form takes the proposed roles along; a link would leave them behind.
        steps=steps("data", data=data.id, ahead=decided),
        it=data,
        reading=reading_inputs(data),
        seconds=[{"name": s.name, "title": reading_label(s.name), "says": s.says} for s in second_files(data.kind)],
        unnamed=data.shape.get("unnamed_persons"),
        row=data_kind(data.kind).row,
        figures=DESCRIPTIONS[data.kind](data.shape).tiles if data.shape else [],
        notes=[one["warning"] for one in data.read.warnings() if one["type"] not in ASKED] if data.read else [],
        roles=list(roles_of(data).items()),
        unconfirmed=[name for name in unsure if data.guesses[name]["role"] == "identifier"],
        numbers={name: place for place, name in enumerate(data.columns, 1)},
        role_words=ROLES,
        tree=tree,
        lacking=lacking,
        found=found,
        search=search,
        search_problem=problem,
        most=MARKED,
        named=NAMED,
        **words_for(data.kind),
        **(listed or nothing),
    )


@router.post("/data/{id}")
def read_again(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Read the file in another way."""
    data = service.datasets.get(id)
    kind = form.get("kind", data.kind)
    service.datasets.configure(id, kind, reading_of(kind, form, data))
    return go(request, f"/data/{id}")


@router.post("/data/{id}/persons")
def name_persons(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Say which column names the person, or that every row is one."""
    person = form.get("person", "")
    named_by = {"row_is_person": "true"} if form.get("rows") else {"person": person}
    kind = service.datasets.get(id).kind

    def named(choices: Choices) -> Choices:
        kept = {key: value for key, value in choices.options.items() if key not in ("person", "row_is_person")}
        for role in ("quasi", "other", "identifier"):  # what names persons is not published
            if person in kept.get(role, ()):
                kept[role] = [name for name in kept[role] if name != person]
        return replace(choices, kind=kind, options={**kept, **named_by})

    service.datasets.change(id, named)
    return go(request, f"/data/{id}")


@router.post("/data/{id}/sensitive")
def mark(id: str, service: CurrentService, form: PostedForm) -> Response:
    """Mark an item as sensitive or all that fit a search, or unmark one or all; scripts follow to the page, too."""
    data, search = service.datasets.get(id), form.get("search", "")
    if form.get("fitting") and search:
        marking.mark_fitting(service.datasets, data, search)
    elif form.get("clear"):
        service.datasets.change(id, lambda choices: replace(choices, sensitive=[]))
    else:
        one = {name: [form[name]] for name in ("add", "remove") if form.get(name)}
        marking.mark(service.datasets, data, **one)
    url = f"/data/{id}?search={quote(search)}#sensitive"
    if form.get("name"):  # of the promise that this is about
        url = f"/data/{id}/promise?name={quote(form['name'])}#strength"
    elif form.get("back") == "risk":
        url = f"/data/{id}/risk"
    return RedirectResponse(url, status_code=303)


@router.get("/data/{id}/sensitive/clear")
def ask_to_unmark(id: str, service: CurrentService, name: str = "") -> Response:
    """Ask before all marks are taken away; `name` is the promise to go back to."""
    marked = service.datasets.choices(id).sensitive
    back = f"/data/{id}/promise?name={quote(name)}" if name else f"/data/{id}#sensitive"
    title, action = f"Unmark all {len(marked):,}?", f"/data/{id}/sensitive"
    return confirmation(title, marked, action, back=back, keep="Keep them", clear="1", name=name)


@router.post("/data/{id}/sensitive/list")
def mark_list(id: str, service: CurrentService, form: PostedForm) -> Response:
    """Mark what a pasted list names."""
    return _marked(service, id, form.get("list", ""), skip_unknown=bool(form.get("skip")))


@router.post("/data/{id}/sensitive/file")
async def mark_file(id: str, request: Request, service: CurrentService) -> Response:
    """Mark what a list in a file names."""
    got = await receive(request, service.settings)
    try:
        text = got.path.read_text("utf-8", errors="replace")
    finally:
        got.path.unlink(missing_ok=True)
    return await run_in_threadpool(_marked, service, id, text)


def _marked(service: Service, id: str, text: str, *, skip_unknown: bool = False) -> Response:
    """Mark what a list names; it can be corrected on the page that is returned if that does not work."""
    listed, problem = None, ""
    try:
        listed = marking.mark_list(service.datasets, service.datasets.get(id), text, skip_unknown=skip_unknown)
    except InputError as error:
        problem = str(error)
    kept = "" if listed is not None and listed["marked"] else text
    return _page(service.datasets.get(id), listed={"listed": listed, "list_text": kept, "list_problem": problem})


@router.post("/data/{id}/roles")
def set_roles(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Give the columns of a table their roles."""
    data = service.datasets.get(id)
    roles = {name: form.get(f"role:{name}", role) for name, role in roles_of(data).items()}
    service.datasets.change(id, lambda choices: with_roles(replace(choices, kind=data.kind), data.columns, roles))
    return go(request, f"/data/{id}/risk" if form.get("next") == "risk" else f"/data/{id}")


@router.post("/data/{id}/files")
async def add_file(id: str, request: Request, service: CurrentService) -> Response:
    """Take a taxonomy, a second file with the column that joins it, or the hierarchy of a column."""
    got = await receive(request, service.settings)
    try:
        await run_in_threadpool(_attach, service.datasets, service.datasets.get(id), got)
    finally:
        got.path.unlink(missing_ok=True)
    return go(request, f"/data/{id}{'#taxonomy' if got.fields.get('key') == TAXONOMY else ''}")


def _attach(datasets: Datasets, data: Dataset, got: Upload) -> None:
    key, column = got.fields.get("key", ""), got.fields.get("column", "")
    options = {}
    if key == TAXONOMY:
        taxonomy.attach(datasets, data, got.name, got.path)
        return
    if key == HIERARCHY.strip():
        if not data_kind(data.kind).has_columns or column not in data.columns:
            raise InputError(f"there is no column {column!r} in a table here", remedy="Choose one of its columns.")
        read_hierarchy(str(got.path))
        key = HIERARCHY + column
    elif key in [one.name for one in second_files(data.kind)]:
        options = {"person": got.fields["person"]} if got.fields.get("person") else {}
    else:
        raise InputError(f"{data.kind} have no second file {key!r}", remedy="Say first what the file holds.")
    datasets.attach(data, key, got.name, got.path, **options)


@router.get("/data/{id}/files/remove")
def ask_about_file(id: str, service: CurrentService, key: str = "") -> Response:
    """Ask before a file that belongs to a dataset is removed."""
    path = service.datasets.choices(id).files.get(key)
    if path is None:
        raise NotFound(GONE)
    name = Path(path).name
    return confirmation(f"Remove {name}?", [name], f"/data/{id}/files/remove", back=f"/data/{id}", key=key)


@router.post("/data/{id}/files/remove")
def remove_file(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Do without one of these files."""

    def without(choices: Choices) -> Choices:
        return replace(choices, files={key: path for key, path in choices.files.items() if key != form.get("key")})

    service.datasets.change(id, without)
    return go(request, f"/data/{id}")
