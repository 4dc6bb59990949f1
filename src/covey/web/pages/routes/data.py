"""Steps 1 and 2 of the page: a file, and what it is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from covey.data.kinds import data_kind
from covey.errors import InputError
from covey.web.pages import forms
from covey.web.pages.rendering import (
    CurrentService,
    PostedForm,
    confirmation,
    go,
    new_router,
    render,
    render_pieces,
    steps,
    wants_fragment,
    words_for,
)
from covey.web.pages.views.original import shape_tiles
from covey.web.pages.words import ROLES, SECOND_FILES, SecondFile
from covey.web.records.datasets import FAILED, PENDING, Dataset, Items
from covey.web.records.roles import ROLES as ROLE_NAMES
from covey.web.records.roles import columns_with_roles, guesses_of, proposed_roles, roles_of, unconfirmed, undecided
from covey.web.server.folders import listing, written_size
from covey.web.server.problems import NotFound, TaskError, TooLarge
from covey.web.server.reading import second_files
from covey.web.server.service import Service
from covey.web.server.uploads import receive

router = new_router()

#: What can be tried without a file.
DEMOS = {"shop": "Try a shop's baskets", "survey": "Try a survey", "people": "Try a table of people"}

#: Items shown by a search, and sensitive ones shown as marked.
FOUND, MARKED = 18, 60

#: Unknown names of a list that are shown, and bytes of the largest list that is taken.
NAMED, LONGEST_LIST = 30, 1 << 20

#: Files shown on the first page.
RECENT = 5


@router.get("/")
def home(service: CurrentService, folder: str = "") -> Response:
    """Step 1: a file."""
    browsing: dict[str, Any] | None = None
    if service.settings.root is not None:
        browsing = {
            "where": "/".join([service.settings.root.name or "/", *(part for part in folder.split("/") if part)]),
            "up": None if not folder.strip("/") else "/".join(folder.strip("/").split("/")[:-1]),
            "entries": listing(service.settings.root, folder),
        }
    return render(
        "home.html",
        steps=steps("file"),
        limit=written_size(service.settings.max_upload),
        demos=DEMOS.items(),
        browsing=browsing,
        recent=service.datasets.all()[:RECENT],
    )


@router.post("/upload")
async def upload(request: Request, service: CurrentService) -> Response:
    """Take a file from a form, streamed to disk."""
    got = await receive(request, service.settings)
    data = await run_in_threadpool(service.datasets.upload, got.name, got.path)
    return go(request, f"/data/{data.id}")


@router.post("/pick")
def pick(request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Take a file below the root."""
    return go(request, f"/data/{service.datasets.pick(form.get('path', '')).id}")


@router.post("/demo")
def demo(request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Make generated data."""
    return go(request, f"/data/{service.datasets.demo(form.get('name', 'shop')).id}")


@router.get("/data/{id}")
def data_page(id: str, service: CurrentService, search: str = "") -> Response:
    """Step 2: what the file is."""
    return _data_page(service, service.datasets.get(id), search)


def _data_page(service: Service, data: Dataset, search: str, listed: Mapping[str, Any] | None = None) -> Response:
    seconds = [
        (option.name, SECOND_FILES.get(option.name, SecondFile(title=option.name.capitalize(), says=option.says)))
        for option in second_files(data.kind)
    ]
    reading = forms.reading_inputs(data)
    return render("data.html", reading=reading, seconds=seconds, **_shown(service, data, search, listed))


def _shown(service: Service, data: Dataset, search: str, listed: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What the page of a file shows, as far as it depends on what was read."""
    return {
        # The button of the form takes the proposed roles along; a link would leave them behind.
        "steps": steps(
            "data",
            data=data.id,
            ahead=data.state != FAILED and not undecided(data) and "unnamed" not in data.shape,
        ),
        "it": data,
        "unnamed": data.shape.get("unnamed"),
        "row": data_kind(data.kind).row,
        "rows": data_kind(data.kind).rows,
        "figures": shape_tiles(data.kind, data.shape, data.columns),
        "roles": proposed_roles(data),
        "unconfirmed": unconfirmed(data),
        "guesses": guesses_of(data),
        "numbers": {name: place for place, name in enumerate(data.columns, 1)},
        "role_words": ROLES,
        **_searched(service, data, search, listed),
    }


def _searched(service: Service, data: Dataset, search: str, listed: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """The items that fit a search, words for them, and what became of a list, if one was given."""
    found, problem = None, ""
    if data.state == "ready" and not data_kind(data.kind).by_roles:
        try:
            found = service.sensitive.search(data.id, search, limit=FOUND)
        except TaskError as error:  # a pattern that is none
            if error.cause != "InputError":
                raise
            found, problem = Items(total=0, items=[]), str(error)
    nothing = {"listed": None, "list_text": "", "list_problem": ""}
    shown = {"search": search, "search_problem": problem, "shown": MARKED, "named": NAMED, **words_for(data.kind)}
    return {"found": found, **shown, **(listed or nothing)}


@router.get("/data/{id}/state")
def data_state(id: str, request: Request, service: CurrentService, search: str = "") -> Response:
    """The pieces of step 2 that change: how far reading has come, and in the end what was read."""
    data = service.datasets.get(id)
    if data.state == PENDING:
        return render_pieces("data_fraction.html", it=data)
    # A role that somebody chose meanwhile is not taken back by what is proposed now.
    chosen = {name: request.query_params.get(f"role:{name}") for name in data.columns}
    untouched = [name for name, role in roles_of(data.columns, data) if chosen[name] in (None, role)]
    return render_pieces("data_update.html", untouched=untouched, **_shown(service, data, search))


@router.post("/data/{id}")
def read_again(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Read the file in another way."""
    data = service.datasets.get(id)
    kind = form.get("kind", data.kind)
    service.datasets.configure(id, kind=kind, options=forms.reading_of(kind, form, data))
    return go(request, f"/data/{id}")


@router.post("/data/{id}/persons")
def name_persons(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Say which column names the person, or that every row is one."""
    data = service.datasets.get(id)
    said = {"row_is_person": "true"} if form.get("rows") else {"person": form.get("person", "")}
    kept = {key: value for key, value in data.options.items() if key not in ("person", "row_is_person")}
    if "person" in said:  # what names persons is not published
        for role in ROLE_NAMES:
            if isinstance(kept.get(role), list):
                kept[role] = [name for name in kept[role] if name != said["person"]]
    service.datasets.configure(id, kind=data.kind, options={**kept, **said})
    return go(request, f"/data/{id}")


@router.get("/data/{id}/items")
def items(id: str, service: CurrentService, search: str = "") -> Response:
    """The items that fit a search."""
    data = service.datasets.get(id)
    return render_pieces("items.html", it=data, **_searched(service, data, search))


@router.post("/data/{id}/sensitive")
def mark(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Mark an item as sensitive or all that fit a search, or unmark one or all."""
    data = service.datasets.get(id)
    if form.get("fitting") and form.get("search"):
        data = service.sensitive.mark_fitting(id, form["search"])
    marked = list(data.sensitive)
    if form.get("clear"):
        marked = []
    if form.get("add") and form["add"] not in marked:
        marked.append(form["add"])
    if form.get("remove") in marked:
        marked.remove(form["remove"])
    if marked != data.sensitive:
        data = service.sensitive.mark(id, marked)
    if wants_fragment(request):
        searched = _searched(service, data, form.get("search", ""))
        return render_pieces("marked_update.html", it=data, listing=False, **searched)
    if form.get("name"):  # of the promise that this is about
        return go(request, f"/data/{id}/promise?name={quote(form['name'])}#strength")
    return go(request, f"/data/{id}?search={quote(form.get('search', ''))}#sensitive")


@router.get("/data/{id}/sensitive/clear")
def ask_to_unmark(id: str, service: CurrentService, name: str = "") -> Response:
    """Ask before all marks are taken away; `name` is the promise to go back to."""
    data = service.datasets.get(id)
    back = f"/data/{id}/promise?name={quote(name)}" if name else f"/data/{id}#sensitive"
    title = f"Unmark all {len(data.sensitive):,}?"
    return confirmation(
        title, data.sensitive, f"/data/{id}/sensitive", back=back, keep="Keep them", clear="1", name=name
    )


@router.post("/data/{id}/sensitive/list")
def mark_pasted(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Mark what a pasted list names."""
    return _mark_listed(id, request, service, form.get("list", ""), skip=bool(form.get("skip")))


@router.post("/data/{id}/sensitive/file")
async def mark_uploaded(id: str, request: Request, service: CurrentService) -> Response:
    """Mark what a list in a file names."""
    got = await receive(request, service.settings)
    try:
        if got.size > LONGEST_LIST:
            raise TooLarge(f"A list of names may be at most {written_size(LONGEST_LIST)} long.")
        text = got.path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        remedy = "Save it as text in UTF-8, one name per line."
        raise InputError("is not a list of names in UTF-8", file=got.name, remedy=remedy) from None
    finally:
        got.discard()
    return await run_in_threadpool(_mark_listed, id, request, service, text, skip=False)


def _mark_listed(id: str, request: Request, service: Service, text: str, *, skip: bool) -> Response:
    listed, problem = None, ""
    try:
        listed = service.sensitive.mark_list(id, text, skip_unknown=skip)
    except InputError as error:
        problem = str(error)
    except TaskError as error:
        if error.cause != "InputError":
            raise
        problem = str(error)
    shown = {
        "listed": listed,
        "list_text": "" if listed is not None and listed.marked else text,
        "list_problem": problem,
    }
    data = service.datasets.get(id)
    if wants_fragment(request):
        return render_pieces("marked_update.html", it=data, listing=True, **_searched(service, data, "", shown))
    return _data_page(service, data, "", shown)


@router.post("/data/{id}/roles")
def set_roles(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Give the columns of a table their roles."""
    data = service.datasets.get(id)
    before = dict(roles_of(columns_with_roles(data), data))
    given = {name: form.get(f"role:{name}", role) for name, role in before.items()}
    # Whoever was proposed something and does otherwise has chosen, and is not asked again.
    if given != before or undecided(data):
        service.sensitive.give_roles(id, given)
    return go(request, f"/data/{id}/risk" if form.get("next") == "risk" else f"/data/{id}")


@router.post("/data/{id}/taxonomy")
async def add_taxonomy(id: str, request: Request, service: CurrentService) -> Response:
    """Take a taxonomy from a form."""
    got = await receive(request, service.settings)
    await run_in_threadpool(service.trees.attach_taxonomy, id, got.name, got.path)
    return go(request, f"/data/{id}#taxonomy")


@router.get("/data/{id}/taxonomy/remove")
def ask_about_taxonomy(id: str, service: CurrentService) -> Response:
    """Ask before the taxonomy is removed."""
    return _asked(id, "Remove the taxonomy?", service.datasets.get(id).taxonomy, "taxonomy")


def _asked(id: str, title: str, file: str | None, what: str, **values: str) -> Response:
    """Ask before a file that belongs to a dataset is removed."""
    if file is None:
        raise NotFound("There is no such file; it may have been removed.")
    return confirmation(title, [file], f"/data/{id}/{what}/remove", back=f"/data/{id}", **values)


@router.post("/data/{id}/taxonomy/remove")
def remove_taxonomy(id: str, request: Request, service: CurrentService) -> Response:
    """Do without the taxonomy."""
    service.trees.detach_taxonomy(id)
    return go(request, f"/data/{id}#taxonomy")


@router.post("/data/{id}/files")
async def add_file(id: str, request: Request, service: CurrentService) -> Response:
    """Take a second file from a form, and the column that joins it with the first."""
    got = await receive(request, service.settings)
    option, person = got.fields.get("option", ""), got.fields.get("person", "")
    await run_in_threadpool(service.trees.attach_file, id, option, got.name, got.path, person)
    return go(request, f"/data/{id}")


@router.get("/data/{id}/files/remove")
def ask_about_file(id: str, service: CurrentService, option: str = "") -> Response:
    """Ask before a second file is removed."""
    return _asked(id, "Remove the second file?", service.datasets.get(id).files.get(option), "files", option=option)


@router.post("/data/{id}/files/remove")
def remove_file(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Do without a second file."""
    service.trees.detach_file(id, form.get("option", ""))
    return go(request, f"/data/{id}")


@router.post("/data/{id}/hierarchies")
async def add_hierarchy(id: str, request: Request, service: CurrentService) -> Response:
    """Take the hierarchy of a table's column from a form."""
    got = await receive(request, service.settings)
    column = got.fields.get("column", "")
    await run_in_threadpool(service.trees.attach_hierarchy, id, column, got.name, got.path)
    return go(request, f"/data/{id}#hierarchies")


@router.get("/data/{id}/hierarchies/remove")
def ask_about_hierarchy(id: str, service: CurrentService, column: str = "") -> Response:
    """Ask before the hierarchy of a column is removed."""
    file = service.datasets.get(id).hierarchies.get(column)
    return _asked(id, f"Remove the hierarchy of {column}?", file, "hierarchies", column=column)


@router.post("/data/{id}/hierarchies/remove")
def remove_hierarchy(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Do without the hierarchy of a column."""
    service.trees.detach_hierarchy(id, form.get("column", ""))
    return go(request, f"/data/{id}#hierarchies")
