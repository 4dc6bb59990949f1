"""What the routes of the pages take from a request, and what they answer with: templates, steps, errors."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Annotated, Any
from urllib.parse import quote, urlencode

from fastapi import APIRouter, Depends, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

import covey
from covey.counting import counted, percent
from covey.data.kinds import data_kind, data_kinds
from covey.measure.attacks.result import title_of
from covey.parameters import parse_call
from covey.web.folders import written_size
from covey.web.service import Service
from covey.web.words import ERRORS, STATES, on_page


def new_router() -> APIRouter:
    """Return a router for pages."""
    return APIRouter(default_response_class=HTMLResponse)


# Asynchronous, because FastAPI would send each request to a thread for a function that is not.
async def service_of(request: Request) -> Service:
    """Return the service of this server."""
    service: Service = request.app.state.service
    return service


async def form_of(request: Request) -> Mapping[str, str]:
    """Return the text fields of a posted form; of a repeated one the last."""
    return {name: value for name, value in (await request.form()).items() if isinstance(value, str)}


#: Parameters of routes.
CurrentService = Annotated[Service, Depends(service_of)]
PostedForm = Annotated[Mapping[str, str], Depends(form_of)]


def is_scripted(request: Request) -> bool:
    """Return whether a script sent the request, which puts the answer into the page."""
    return request.headers.get("HX-Request") == "true"


def go(request: Request, url: str, *, replace: bool = False) -> Response:
    """Send the browser to another page, also from a script.

    With `replace` that page takes the place of this one in the browser's history, for a script.
    """
    if is_scripted(request):
        return Response(status_code=204, headers={"X-Covey-Replace" if replace else "HX-Redirect": url})
    return RedirectResponse(url, status_code=303)


#: The steps of the flow, in order: key and name.
STEPS = {
    "file": "File",
    "data": "What it is",
    "risk": "Risk today",
    "promise": "Promise",
    "method": "Method",
    "run": "Run",
    "result": "Result",
}


def ago(moment: float | None, now: float | None = None) -> str:
    """Return how long ago something happened."""
    if moment is None:
        return ""
    seconds = max((time.time() if now is None else now) - moment, 0)
    for size, word in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            return f"{counted(int(seconds // size), word)} ago"
    return "just now"


#: Characters that turn the direction of the text around them, so that it reads as something else.
TURNING = {code: f"‹U+{code:04X}›" for code in (0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))}


def visible(value: Any) -> Any:
    """Return a value to be shown, with characters that would turn its direction written out.

    Examples
    --------
    >>> visible("txt\\u202efdp.exe"), visible(3)
    ('txt‹U+202E›fdp.exe', 3)
    """
    return value.translate(TURNING) if isinstance(value, str) else value


def shown(value: float | None, form: str = ".2f") -> str:
    """Return a figure in a form, which may be ``percent``; nothing where there is none."""
    return "" if value is None else percent(value) if form == "percent" else format(value, form)


_TEMPLATES = Environment(
    loader=PackageLoader("covey.web"),
    autoescape=select_autoescape(default=True, default_for_string=True),
    undefined=StrictUndefined,
    finalize=visible,
    trim_blocks=True,
    lstrip_blocks=True,
    auto_reload=False,
)
_TEMPLATES.filters |= {"bytes": written_size, "ago": ago, "on_page": on_page, "percent": percent, "counted": counted}
_TEMPLATES.filters |= {"base": lambda path: path.rpartition("/")[2], "shown": shown}
# Made by covey's own functions, which escape what comes from data.
_TEMPLATES.filters["markup"] = lambda part: Markup(part.html(folded=True))
_TEMPLATES.globals |= {
    "version": covey.__version__,
    "kinds": data_kinds,
    "kind_of": data_kind,
    "states": STATES,
    "attack_title": title_of,
}


def render(template: str, *, status: int = 200, **context: Any) -> HTMLResponse:
    """Return a page."""
    page = _TEMPLATES.get_template(template)
    return HTMLResponse(page.render({"here": "new", "steps": None, **context}), status)


def confirmation(
    title: str, what: Sequence[str], action: str, *, back: str, keep: str = "Keep it", note: str = "", **values: str
) -> HTMLResponse:
    """Return a page that asks before something is removed for good.

    `title` is the question and, without its mark, the name of the button that posts `values` to `action`; `what` is
    listed, and `back` is where the link `keep` leads to.
    """
    here = "jobs" if back == "/jobs" else "new"
    form: dict[str, Any] = {"title": title, "what": what, "action": action, "values": values}
    return render("remove.html", here=here, back=back, keep=keep, note=note, **form)


def waiting(request: Request, title: str, what: str, back: str) -> Response:
    """Return a page that asks again until what it waits for is there; `back` is where the link at its end leads to."""
    if is_scripted(request):
        return Response(status_code=204)
    url = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    return render("waiting.html", title=title, what=what, url=url, back=back)


def words_for(kind: str) -> dict[str, Any]:
    """Return what rows and items are called for this kind of data."""
    words = data_kind(kind)
    return {"rows_word": words.rows, "items_word": f"{words.marked}s"}


def steps(current: str, *, data: str = "", job: str = "", query: str = "", ahead: bool = True) -> list[dict[str, Any]]:
    """Return the steps as links, as far as they can be gone to.

    `data` and `job` are ids, `query` is the promise once it was chosen; the data is fit for the steps `ahead` or not.
    """
    urls = {"file": "/"}
    if data:
        base = f"/data/{quote(data)}"
        urls |= {"data": base} | ({"risk": f"{base}/risk", "promise": f"{base}/promise"} if ahead else {})
        urls |= {"promise": f"{base}/promise?{query}", "method": f"{base}/method?{query}"} if query else {}
    if job:
        urls |= {"run": f"/jobs/{quote(job)}/run"}
    place = list(STEPS).index(current)
    return [
        {"name": name, "url": urls.get(key, ""), "current": key == current, "done": number < place}
        for number, (key, name) in enumerate(STEPS.items())
    ]


def promise_query(guarantee: str, **more: str) -> str:
    """Return a guarantee given as text as the query string of the promise's form."""
    name, _, values = parse_call(guarantee)
    return urlencode({"name": name, **{key: str(value) for key, value in values.items()}, **more})


def error_response(request: Request, status: int, title: str, message: str) -> Response:
    """Return an error as a page, or as a note inside the page for a script.

    `title` may be the name of an error's class; the page shows what it means.
    """
    words = ERRORS.get(title, ERRORS.get(str(status), title))
    if is_scripted(request):
        answer = render("trouble.html", status=status, title=words, message=message)
        answer.headers["X-Covey-Fragment"] = "1"  # put in place although it is a refusal
        return answer
    return render("error.html", status=status, title=words, message=message, back=back_from(request.url.path))


def back_from(path: str) -> str:
    """Return the page to go back to from one that did not work.

    Examples
    --------
    >>> back_from("/data/7/start"), back_from("/data/7/roles"), back_from("/data/7"), back_from("/jobs/3/cancel")
    ('/data/7/promise', '/data/7', '/', '/jobs/3')
    """
    parts = path.strip("/").split("/")
    if len(parts) < 3 or parts[0] not in ("data", "jobs"):
        return "/"
    return "/" + "/".join([*parts[:2], *(["promise"] if parts[2] == "start" else [])])
