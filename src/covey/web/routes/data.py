"""Steps 1 and 2 of the page: a file, and what it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any
from urllib.parse import quote

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import Response

from covey.data.kinds import data_kind
from covey.errors import InputError
from covey.io.trees import read_hierarchy
from covey.web import marking, trees
from covey.web.choices import reading_inputs, reading_of
from covey.web.data import (
    Choices,
    Dataset,
    checked_options,
    column_names,
    guesses_of,
    require_column,
    roles_of,
    second_files,
    undecided,
    with_roles,
)
from covey.web.demos import DEMOS
from covey.web.folders import listing, written_size
from covey.web.problems import NotFound, TooLarge
from covey.web.rendering import (
    CurrentService,
    PostedForm,
    confirmation,
    go,
    new_router,
    render,
    render_pieces,
    steps,
    waiting,
    wants_fragment,
    words_for,
)
from covey.web.service import Service
from covey.web.uploads import receive
from covey.web.views import shape_tiles
from covey.web.words import ROLES, reading_label

router = new_router()

#: Items shown by a search, and sensitive ones shown as marked.
FOUND, MARKED = 18, 60
#: Unknown names of a list that are shown, and bytes of the largest list that is taken.
NAMED, LONGEST_LIST = 30, 1 << 20
#: Files shown on the first page.
RECENT = 5
#: The kinds of warnings that a page shows as questions or elsewhere.
ASKED = ("UnnamedPersons",)


@router.get("/")
def home(service: CurrentService, folder: str = "") -> Response:
    """Step 1: a file."""
    browsing: dict[str, Any] | None = None
    if service.settings.root is not None:
        parts = [part for part in folder.split("/") if part]
        browsing = {
            "where": "/".join([service.settings.root.name or "/", *parts]),
            "up": "/".join(parts[:-1]) if parts else None,
            "entries": listing(service.settings.root, folder),
        }
    return render(
        "home.html",
        steps=steps("file"),
        limit=written_size(service.settings.max_upload),
        demos=DEMOS.items(),
        browsing=browsing,
        recent=list(service.datasets.all().items())[:RECENT],
    )


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
    return go(request, f"/data/{id}", replace=True) if wants_fragment(request) else _data_page(data, search)


def _data_page(data: Dataset, search: str, listed: Mapping[str, Any] | None = None) -> Response:
    seconds = [
        {"name": one.name, "title": reading_label(one.name), "says": one.says} for one in second_files(data.kind)
    ]
    return render("data.html", reading=reading_inputs(data), seconds=seconds, **_shown(data, search, listed))


def _shown(data: Dataset, search: str, listed: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return what the page of a file shows, as far as it depends on what was read."""
    tree = None
    if data.state == "ready" and data.choices.taxonomy is not None:
        _, tree = trees.taxonomy_of(data)
    guesses = guesses_of(data)
    return {
        # The button of the form takes the proposed roles along; a link would leave them behind.
        "steps": steps("data", data=data.id, ahead=is_decided(data)),
        "it": data,
        "unnamed": data.shape.get("unnamed_persons"),
        "row": data_kind(data.kind).row,
        "rows": data_kind(data.kind).rows,
        "figures": shape_tiles(data),
        "notes": [one["warning"] for one in data.read.warnings() if one["type"] not in ASKED] if data.read else [],
        "roles": list(roles_of(data).items()),
        "unconfirmed": [name for name in undecided(data) if guesses[name]["role"] == "identifier"],
        "guesses": guesses,
        "numbers": {name: place for place, name in enumerate(data.columns, 1)},
        "role_words": ROLES,
        "lacking": 0 if tree is None else trees.lacking(tree, data),
        **_searched(data, search, listed),
    }


def is_decided(data: Dataset) -> bool:
    """Return whether nothing about a file has to be settled before its risk is measured."""
    return data.state != "failed" and not undecided(data) and "unnamed_persons" not in data.shape


def _searched(data: Dataset, search: str, listed: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the items that fit a search, words for them, and what became of a list, if one was given."""
    found: tuple[int, list[marking.Item]] | None = None
    problem = ""
    if data.state == "ready" and not data_kind(data.kind).by_roles:
        try:
            found = marking.search(data, search, FOUND)
        except InputError as error:  # a pattern that is none
            found, problem = (0, []), str(error)
    nothing = {"listed": None, "list_text": "", "list_problem": ""}
    shown = {"search": search, "search_problem": problem, "shown": MARKED, "named": NAMED, **words_for(data.kind)}
    return {"found": found, **shown, **(listed or nothing)}


@router.get("/data/{id}/state")
def data_state(id: str, request: Request, service: CurrentService, search: str = "") -> Response:
    """The pieces of step 2 that change: how far reading has come, and in the end what was read."""
    data = service.datasets.get(id)
    if data.state == "pending":
        return render_pieces("data_fraction.html", it=data)
    # A role that somebody chose meanwhile is not taken back by what is proposed now.
    chosen = request.query_params
    untouched = [name for name in data.columns if chosen.get(f"role:{name}") in (None, "quasi")]
    return render_pieces("data_update.html", untouched=untouched, **_shown(data, search))


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
    said = {"row_is_person": "true"} if form.get("rows") else {"person": person}
    kind = service.datasets.get(id).kind

    def named(choices: Choices) -> Choices:
        kept = {key: value for key, value in choices.options.items() if key not in ("person", "row_is_person")}
        for role in ("quasi", "other", "identifier"):  # what names persons is not published
            if person in column_names(kept.get(role)):
                kept[role] = [name for name in column_names(kept[role]) if name != person]
        return replace(choices, kind=kind, options=checked_options(kind, {**kept, **said}))

    service.datasets.change(id, named)
    return go(request, f"/data/{id}")


@router.get("/data/{id}/items")
def items(id: str, service: CurrentService, search: str = "") -> Response:
    """The items that fit a search."""
    data = service.datasets.get(id)
    return render_pieces("items.html", it=data, **_searched(data, search))


@router.post("/data/{id}/sensitive")
def mark(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Mark an item as sensitive or all that fit a search, or unmark one or all."""
    data = service.datasets.get(id)
    if form.get("fitting") and form.get("search"):
        marking.mark_fitting(service.datasets, data, form["search"])
    elif form.get("clear"):
        service.datasets.change(id, lambda choices: replace(choices, sensitive=[]))
    elif form.get("add") or form.get("remove"):
        one = {name: [form[name]] for name in ("add", "remove") if form.get(name)}
        marking.mark(service.datasets, data, **one)
    if wants_fragment(request):
        data = service.datasets.get(id)
        return render_pieces("marked_update.html", it=data, listing=False, **_searched(data, form.get("search", "")))
    if form.get("name"):  # of the promise that this is about
        return go(request, f"/data/{id}/promise?name={quote(form['name'])}#strength")
    if form.get("back") == "risk":
        return go(request, f"/data/{id}/risk")
    return go(request, f"/data/{id}?search={quote(form.get('search', ''))}#sensitive")


@router.get("/data/{id}/sensitive/clear")
def ask_to_unmark(id: str, service: CurrentService, name: str = "") -> Response:
    """Ask before all marks are taken away; `name` is the promise to go back to."""
    marked = service.datasets.choices(id).sensitive
    back = f"/data/{id}/promise?name={quote(name)}" if name else f"/data/{id}#sensitive"
    title, action = f"Unmark all {len(marked):,}?", f"/data/{id}/sensitive"
    return confirmation(title, marked, action, back=back, keep="Keep them", clear="1", name=name)


@router.post("/data/{id}/sensitive/list")
def mark_pasted(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Mark what a pasted list names."""
    return _mark_listed(id, request, service, form.get("list", ""), skip=bool(form.get("skip")))


@router.post("/data/{id}/sensitive/file")
async def mark_uploaded(id: str, request: Request, service: CurrentService) -> Response:
    """Mark what a list in a file names."""
    got = await receive(request, service.settings)
    try:
        if got.path.stat().st_size > LONGEST_LIST:
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
        listed = marking.mark_list(service.datasets, service.datasets.get(id), text, skip_unknown=skip)
    except InputError as error:
        problem = str(error)
    kept = "" if listed is not None and listed.marked else text
    shown = {"listed": listed, "list_text": kept, "list_problem": problem}
    data = service.datasets.get(id)
    if wants_fragment(request):
        return render_pieces("marked_update.html", it=data, listing=True, **_searched(data, "", shown))
    return _data_page(data, "", shown)


@router.post("/data/{id}/roles")
def set_roles(id: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Give the columns of a table their roles."""
    data = service.datasets.get(id)
    roles = {name: form.get(f"role:{name}", role) for name, role in roles_of(data).items()}
    service.datasets.change(id, lambda choices: with_roles(replace(choices, kind=data.kind), data.columns, roles))
    return go(request, f"/data/{id}/risk" if form.get("next") == "risk" else f"/data/{id}")


@router.post("/data/{id}/taxonomy")
async def add_taxonomy(id: str, request: Request, service: CurrentService) -> Response:
    """Take a taxonomy from a form."""
    got = await receive(request, service.settings)
    await run_in_threadpool(_attach_taxonomy, service, id, got)
    return go(request, f"/data/{id}#taxonomy")


def _attach_taxonomy(service: Service, id: str, got: Any) -> None:
    try:
        trees.attach(service.datasets, service.datasets.get(id), got.name, got.path)
    finally:
        got.discard()


@router.post("/data/{id}/files")
@router.post("/data/{id}/hierarchies")
async def add_file(id: str, request: Request, service: CurrentService) -> Response:
    """Take a second file from a form with the column that joins it, or the hierarchy of a column."""
    got = await receive(request, service.settings)
    await run_in_threadpool(_attach_file, service, id, got, request.url.path.rpartition("/")[2])
    return go(request, f"/data/{id}")


def _attach_file(service: Service, id: str, got: Any, what: str) -> None:
    data = service.datasets.get(id)
    try:
        if what == "hierarchies":
            key = got.fields.get("column", "")
            require_column(data, key)
            read_hierarchy(str(got.path))
        else:
            key = got.fields.get("option", "")
            if key not in [one.name for one in second_files(data.kind)]:
                raise InputError(f"{data.kind} have no second file {key!r}", remedy="Say first what the file holds.")
        kept = str(service.datasets.keep(id, got.name, got.path))
    finally:
        got.discard()
    said = {"person": got.fields["person"]} if got.fields.get("person") else {}

    def attached(choices: Choices) -> Choices:
        if what == "hierarchies":
            return replace(choices, hierarchies={**choices.hierarchies, key: kept})
        return replace(choices, kind=data.kind, files={**choices.files, key: kept}, options={**choices.options, **said})

    service.datasets.change(id, attached)


@router.get("/data/{id}/{what}/remove")
def ask_about_file(id: str, what: str, service: CurrentService, key: str = "") -> Response:
    """Ask before the taxonomy, a second file or the hierarchy of a column is removed."""
    given = _given(service.datasets.choices(id), what).get(key)
    if given is None:
        raise NotFound("There is no such file; it may have been removed.")
    titles = {"taxonomy": "Remove the taxonomy?", "files": "Remove the second file?"}
    title = titles.get(what, f"Remove the hierarchy of {key}?")
    return confirmation(title, [given.rpartition("/")[2]], f"/data/{id}/{what}/remove", back=f"/data/{id}", key=key)


def _given(choices: Choices, what: str) -> dict[str, str]:
    """Return the files of one sort that belong to a dataset, by what they are given for."""
    if what == "taxonomy":
        return {} if choices.taxonomy is None else {"": choices.taxonomy}
    return {"files": choices.files, "hierarchies": choices.hierarchies}.get(what, {})


@router.post("/data/{id}/{what}/remove")
def remove_file(id: str, what: str, request: Request, service: CurrentService, form: PostedForm) -> Response:
    """Do without one of these files."""

    def without(choices: Choices) -> Choices:
        kept = {key: path for key, path in _given(choices, what).items() if key != form.get("key", "")}
        if what == "taxonomy":
            return replace(choices, taxonomy=None)
        return replace(choices, files=kept) if what == "files" else replace(choices, hierarchies=kept)

    service.datasets.change(id, without)
    return go(request, f"/data/{id}")
