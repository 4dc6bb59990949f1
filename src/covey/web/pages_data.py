"""Steps 1 to 5 of the page: a file, what it is, its risk today, the promise, the method."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Depends, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import HTMLResponse, Response

from covey.errors import CoveyError, InputError
from covey.parameters import scalar
from covey.web import forms
from covey.web.pages import (
    form_of,
    go,
    promise_query,
    render,
    steps,
    steward_of,
    wants_fragment,
    words_for,
)
from covey.web.problems import Remote, TooLarge, status_of
from covey.web.records import BROKEN, PENDING, Dataset, GuaranteeChoice, MethodChoice
from covey.web.roles import ROLES as ROLE_NAMES
from covey.web.roles import proposed_roles, roles_of, unconfirmed, values_of
from covey.web.steward import Steward
from covey.web.uploads import receive
from covey.web.views import risk_headline, shape_tiles
from covey.web.words import GUARANTEES, ROLES, Introduction, written_size

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)

Serving = Annotated[Steward, Depends(steward_of)]
Form = Annotated[Mapping[str, str], Depends(form_of)]

#: What can be tried without a file.
DEMOS = {"shop": "Try a shop's baskets", "survey": "Try a survey", "people": "Try a table of people"}

#: Items shown by a search, and sensitive ones shown as marked.
FOUND, MARKED = 18, 60

#: Unknown names of a list that are shown, and bytes of the largest list that is taken.
NAMED, LONGEST_LIST = 30, 1 << 20

#: Files shown on the first page.
RECENT = 5


@router.get("/")
def home(steward: Serving, folder: str = "") -> Response:
    """Step 1: a file."""
    browsing: dict[str, Any] | None = None
    if steward.settings.root is not None:
        browsing = {
            "where": "/".join(
                [steward.settings.root.name or "/", *(part for part in folder.split("/") if part)]
            ),
            "up": None if not folder.strip("/") else "/".join(folder.strip("/").split("/")[:-1]),
            "entries": steward.browse(folder),
        }
    return render(
        "home.html",
        steps=steps("file"),
        limit=written_size(steward.settings.max_upload),
        demos=[(name, DEMOS.get(name, f"Try {name}")) for name in steward.status()["demos"]],
        browsing=browsing,
        recent=steward.datasets()[:RECENT],
    )


@router.post("/upload")
async def upload(request: Request, steward: Serving) -> Response:
    """Take a file from a form, streamed to disk."""
    got = await receive(request, steward)
    data = await run_in_threadpool(steward.upload_file, got.name, got.path)
    return go(request, f"/data/{data.id}")


@router.post("/pick")
def pick(request: Request, steward: Serving, form: Form) -> Response:
    """Take a file below the root."""
    return go(request, f"/data/{steward.pick(form.get('path', '')).id}")


@router.post("/demo")
def demo(request: Request, steward: Serving, form: Form) -> Response:
    """Make generated data."""
    return go(request, f"/data/{steward.demo(form.get('name', 'shop')).id}")


@router.get("/data/{id}")
def data_page(id: str, steward: Serving, search: str = "") -> Response:
    """Step 2: what the file is."""
    return _data_page(steward, steward.dataset(id), search)


def _data_page(
    steward: Steward, data: Dataset, search: str, told: Mapping[str, Any] | None = None
) -> Response:
    id = data.id
    return render(
        "data.html",
        # The button of the form takes the proposed roles along; a link would leave them behind.
        steps=steps("data", data=id, ahead=data.state != BROKEN and not unconfirmed(data)),
        it=data,
        figures=shape_tiles(data.kind, data.shape, data.columns),
        reading=forms.reading_inputs(data),
        roles=proposed_roles(data),
        alone=unconfirmed(data),
        values=values_of(data),
        role_words=ROLES,
        **_searched(steward, data, search, told),
    )


def _searched(
    steward: Steward, data: Dataset, search: str, told: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """The items that fit a search, words for them, and what became of a list, if one was given."""
    found = None
    if data.state == "ready" and data.kind != "table":
        found = steward.items(data.id, search, limit=FOUND)
    nothing = {"listed": None, "list_text": "", "list_problem": ""}
    shown = {"search": search, "shown": MARKED, "named": NAMED, **words_for(data.kind)}
    return {"found": found, **shown, **(told or nothing)}


@router.get("/data/{id}/state")
def data_state(id: str, request: Request, steward: Serving) -> Response:
    """How far reading has come; once it is over the whole page is asked for again."""
    data = steward.dataset(id)
    if data.state != "pending":
        return Response(status_code=204, headers={"HX-Refresh": "true"})
    return render("data_state.html", it=data, figures=[])


@router.post("/data/{id}")
def read_again(id: str, request: Request, steward: Serving, form: Form) -> Response:
    """Read the file in another way."""
    data = steward.dataset(id)
    kind = form.get("kind", data.kind)
    steward.configure(id, kind=kind, options=forms.reading_of(kind, form, data))
    return go(request, f"/data/{id}")


@router.get("/data/{id}/items")
def items(id: str, steward: Serving, search: str = "") -> Response:
    """The items that fit a search."""
    data = steward.dataset(id)
    return render("items.html", it=data, **_searched(steward, data, search))


@router.post("/data/{id}/sensitive")
def mark(id: str, request: Request, steward: Serving, form: Form) -> Response:
    """Mark an item as sensitive, unmark one, or unmark all."""
    marked = list(steward.dataset(id).sensitive)
    if form.get("clear"):
        marked = []
    if form.get("add") and form["add"] not in marked:
        marked.append(form["add"])
    if form.get("remove") in marked:
        marked.remove(form["remove"])
    data = steward.set_sensitive(id, marked)
    if request.headers.get("HX-Request") == "true":
        return render("sensitive.html", it=data, **_searched(steward, data, form.get("search", "")))
    if form.get("clear"):
        return go(request, f"/data/{id}/promise?name={quote(form.get('name', ''))}#strength")
    return go(request, f"/data/{id}?search={quote(form.get('search', ''))}#sensitive")


@router.post("/data/{id}/sensitive/list")
def mark_pasted(id: str, request: Request, steward: Serving, form: Form) -> Response:
    """Mark what a pasted list names."""
    return _mark_listed(id, request, steward, form.get("list", ""), skip=bool(form.get("skip")))


@router.post("/data/{id}/sensitive/file")
async def mark_uploaded(id: str, request: Request, steward: Serving) -> Response:
    """Mark what a list in a file names."""
    got = await receive(request, steward)
    try:
        if got.size > LONGEST_LIST:
            raise TooLarge(f"A list of names may have {written_size(LONGEST_LIST)} at most.")
        text = got.path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError:
        remedy = "Save it as text in UTF-8, one name a line."
        raise InputError("is no list of names in UTF-8", file=got.name, remedy=remedy) from None
    finally:
        got.discard()
    return await run_in_threadpool(_mark_listed, id, request, steward, text, skip=False)


def _mark_listed(id: str, request: Request, steward: Steward, text: str, *, skip: bool) -> Response:
    listed, problem = None, ""
    try:
        listed = steward.mark_listed(id, text, skip_unknown=skip)
    except InputError as error:
        problem = str(error)
    except Remote as error:
        if error.kind != "InputError":
            raise
        problem = str(error)
    told = {
        "listed": listed,
        "list_text": "" if listed is not None and listed.marked else text,
        "list_problem": problem,
    }
    data = steward.dataset(id)
    if wants_fragment(request):
        return render("sensitive.html", it=data, **_searched(steward, data, "", told))
    return _data_page(steward, data, "", told)


@router.post("/data/{id}/roles")
def set_roles(id: str, request: Request, steward: Serving, form: Form) -> Response:
    """Give the columns of a table their roles."""
    data = steward.dataset(id)
    before = dict(roles_of(data.columns, data))
    given = {name: form.get(f"role:{name}", before[name]) for name in data.columns}
    # Whoever was proposed something and does otherwise has chosen, and is not asked again.
    if given != before or unconfirmed(data):
        by_role = {role: [name for name in data.columns if given[name] == role] for role in ROLE_NAMES}
        kept = {key: value for key, value in data.options.items() if key not in ROLE_NAMES}
        named = {role: by_role[role] for role in ("quasi", "other", "identifier") if by_role[role]}
        steward.set_sensitive(id, by_role["sensitive"])
        steward.configure(id, kind="table", options={**kept, **named})
    return go(request, f"/data/{id}/risk" if form.get("next") == "risk" else f"/data/{id}")


@router.post("/data/{id}/taxonomy")
async def add_taxonomy(id: str, request: Request, steward: Serving) -> Response:
    """Take a taxonomy from a form."""
    got = await receive(request, steward)
    await run_in_threadpool(steward.attach_taxonomy, id, got.name, got.path)
    return go(request, f"/data/{id}#taxonomy")


@router.post("/data/{id}/taxonomy/remove")
def remove_taxonomy(id: str, request: Request, steward: Serving) -> Response:
    """Do without the taxonomy."""
    steward.detach_taxonomy(id)
    return go(request, f"/data/{id}#taxonomy")


@router.post("/data/{id}/hierarchies")
async def add_hierarchy(id: str, request: Request, steward: Serving) -> Response:
    """Take the hierarchy of a table's column from a form."""
    got = await receive(request, steward)
    column = got.fields.get("column", "")
    await run_in_threadpool(steward.attach_hierarchy, id, column, got.name, got.path)
    return go(request, f"/data/{id}#hierarchies")


@router.post("/data/{id}/hierarchies/remove")
def remove_hierarchy(id: str, request: Request, steward: Serving, form: Form) -> Response:
    """Do without the hierarchy of a column."""
    steward.detach_hierarchy(id, form.get("column", ""))
    return go(request, f"/data/{id}#hierarchies")


@router.get("/data/{id}/risk")
def risk_page(id: str, steward: Serving) -> Response:
    """Step 3: what the data gives away today."""
    shown = _risk(id, steward)
    return render("risk.html", steps=steps("risk", data=id, ahead=shown["it"].state != BROKEN), **shown)


@router.get("/data/{id}/risk/found")
def risk_found(id: str, steward: Serving) -> Response:
    """The measured part of step 3."""
    return render("risk_found.html", **_risk(id, steward))


def _risk(id: str, steward: Steward) -> dict[str, Any]:
    data, risk = steward.dataset(id), steward.risk(id)
    told = risk_headline(risk, data.kind)
    return {
        "it": data,
        "risk": risk,
        "headline": told.text,
        "explanation": told.explanation,
        "risk_chart": told.chart,
        "risk_title": told.title,
        "exposure": told.exposure,
        "curve": told.curve,
    }


@router.get("/data/{id}/promise")
def promise_page(id: str, request: Request, steward: Serving, name: str = "") -> Response:
    """Step 4: the promise."""
    data = steward.dataset(id)
    choices = steward.guarantees(id) if data.state != BROKEN else []
    chosen = _chosen(choices, name)
    given = dict(request.query_params)
    return render(
        "promise.html",
        steps=steps("promise", data=id, ahead=data.state != BROKEN),
        it=data,
        choices=choices,
        chosen=chosen,
        intro=_introductions(choices),
        fields=forms.guarantee_inputs(chosen, given, sensitive=bool(data.sensitive)) if chosen else [],
        check=_checked(steward, data, chosen, _filled(data, chosen, given)) if chosen else None,
        measuring=chosen is not None and steward.risk(id).state == PENDING,
    )


@router.get("/data/{id}/promise/ranges")
def promise_ranges(id: str, request: Request, steward: Serving, name: str = "") -> Response:
    """Hints and feedback anew once it is known how far the data goes; what was typed stays."""
    data, given = steward.dataset(id), dict(request.query_params)
    if steward.risk(id).state == PENDING:
        return Response(status_code=204)
    chosen = _chosen(steward.guarantees(id), name)
    if chosen is None:
        return Response(status_code=204)
    return render(
        "ranges.html",
        fields=forms.guarantee_inputs(chosen, given, sensitive=bool(data.sensitive)),
        check=_checked(steward, data, chosen, given),
    )


def _introductions(choices: list[GuaranteeChoice]) -> dict[str, Introduction]:
    return {c.name: GUARANTEES.get(c.name, Introduction(title=c.name, choose=c.summary)) for c in choices}


def _chosen(choices: list[GuaranteeChoice], name: str) -> GuaranteeChoice | None:
    named = next((one for one in choices if one.name == name), None)
    return named or next((one for one in choices if one.recommended), choices[0] if choices else None)


def _filled(data: Dataset, chosen: GuaranteeChoice, given: Mapping[str, str]) -> dict[str, str]:
    """The form as it stands: what was given, else what is proposed."""
    return {
        one.name: one.value for one in forms.guarantee_inputs(chosen, given, sensitive=bool(data.sensitive))
    }


@router.get("/data/{id}/promise/check")
def promise_check(id: str, request: Request, steward: Serving, name: str = "") -> Response:
    """What a promise with these parameters means, or why it cannot be kept."""
    data, chosen = steward.dataset(id), _chosen(steward.guarantees(id), name)
    if chosen is None:
        return Response(status_code=204)
    return render("feedback.html", check=_checked(steward, data, chosen, dict(request.query_params)))


def _checked(
    steward: Steward, data: Dataset, chosen: GuaranteeChoice, given: Mapping[str, str]
) -> dict[str, Any]:
    """Whether the promise can be kept, in words, and a way out where not."""
    try:
        words = steward.explain(data.id, forms.guarantee_text(chosen.name, chosen.fields, given))
        message = chosen.blocked or words["problem"]
        if chosen.needs_sensitive and not data.sensitive:
            message = "It protects what is marked as sensitive, and nothing is marked yet."
        if message is None:
            return {"ok": True, **words}
    except CoveyError as error:
        message = str(error)
    return {"ok": False, "message": message, "fix": _way_out(data, chosen, given)}


def _way_out(data: Dataset, chosen: GuaranteeChoice, given: Mapping[str, str]) -> dict[str, str] | None:
    """What would make the promise possible, where there is something: a link, or a form that unmarks items."""
    if chosen.needs_sensitive and not data.sensitive:
        return {"url": f"/data/{data.id}#sensitive", "words": "Mark what is sensitive"}
    if chosen.blocked and data.sensitive and not chosen.needs_sensitive:
        return {"clear": f"/data/{data.id}/sensitive", "name": chosen.name, "words": "Unmark all items"}
    for one in chosen.fields:
        wanted = scalar(given.get(one.name, ""))
        if one.feasible is not None and isinstance(wanted, int | float) and wanted > one.feasible:
            best = f"{one.feasible:g}"
            query = urlencode({**given, "name": chosen.name, one.name: best})
            return {"url": f"/data/{data.id}/promise?{query}#strength", "words": f"Use {one.name} = {best}"}
    return None


@router.get("/data/{id}/method")
def method_page(id: str, request: Request, steward: Serving, name: str = "", method: str = "") -> Response:
    """Step 5: the method; an impossible promise leads back to step 4."""
    data, chosen = steward.dataset(id), _chosen(steward.guarantees(id), name)
    given = dict(request.query_params)
    if chosen is None or data.state == BROKEN:
        return go(request, f"/data/{id}/promise")
    check = _checked(steward, data, chosen, given)
    if not check["ok"]:
        return go(request, f"/data/{id}/promise?{request.url.query}#strength")
    methods = steward.methods(id, check["text"])
    return _method(data, check, methods, _options(_selected(methods, method), {}, open=False))


def _method(
    data: Dataset,
    promise: Mapping[str, Any],
    methods: list[MethodChoice],
    options: Mapping[str, Any],
    *,
    status: int = 200,
    refusal: str = "",
) -> Response:
    query = promise_query(promise["text"])
    return render(
        "method.html",
        status=status,
        steps=steps("method", data=data.id, query=query),
        it=data,
        guarantee=promise["text"],
        short=promise["short"],
        methods=methods,
        chosen=options["selected"].name,
        back=query,
        refusal=refusal,
        **options,
    )


def _selected(methods: list[MethodChoice], name: str) -> MethodChoice:
    named = next((one for one in methods if one.name == name), None)
    return named or next((one for one in methods if one.recommended), methods[0])


def _options(selected: MethodChoice, given: Mapping[str, str], *, open: bool) -> dict[str, Any]:
    return {
        "selected": selected,
        "fields": forms.method_inputs(selected, given),
        "seed": given.get("seed", ""),
        "open": open,
    }


@router.get("/data/{id}/method/options")
def method_options(id: str, steward: Serving, guarantee: str, method: str = "", seed: str = "") -> Response:
    """The options of another method."""
    selected = _selected(steward.methods(id, guarantee), method)
    return render("options.html", **_options(selected, {"seed": seed}, open=False))


@router.post("/data/{id}/start")
def start(id: str, request: Request, steward: Serving, form: Form) -> Response:
    """Step 6: start the work; what does not work is told on the form, with all that was filled in."""
    data, guarantee = steward.dataset(id), form.get("guarantee", "")
    methods = steward.methods(id, guarantee)
    selected = _selected(methods, form.get("method", ""))
    try:
        job = steward.start(
            id,
            guarantee,
            selected.name,
            options=forms.method_options(selected, form),
            seed=forms.seed_of(form),
        )
    except CoveyError as error:
        options = _options(selected, form, open=True)
        return _method(
            data,
            steward.explain(id, guarantee),
            methods,
            options,
            status=status_of(error),
            refusal=str(error),
        )
    return go(request, f"/jobs/{job.id}/run")
