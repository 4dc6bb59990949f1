"""The HTML side of the server: templates, the steps of the flow, error pages, and how it is all installed.

The pages themselves are in `pages_data` (from a file to a method), `pages_jobs` (from running to the result) and
`pages_kept` (earlier work, and removing it).
They call the steward and nothing below it.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import FastAPI, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from fastapi.staticfiles import StaticFiles
from jinja2 import Environment, PackageLoader, StrictUndefined, select_autoescape

import covey
from covey.web.steward import Steward
from covey.web.words import ERRORS, ITEMS, KINDS, ROWS, STATES, on_page
from covey.web.words import written_size as written_size

#: The steps of the flow, in order: key and name.
STEPS = (
    ("file", "File"),
    ("data", "What it is"),
    ("risk", "Risk today"),
    ("promise", "Promise"),
    ("method", "Method"),
    ("run", "Run"),
    ("result", "Result"),
)


def counted(count: int, word: str) -> str:
    """A number of things.

    Examples
    --------
    >>> counted(1, "file"), counted(2000, "release")
    ('1 file', '2,000 releases')
    """
    return f"{count:,} {word}{'' if count == 1 else 's'}"


def ago(moment: float | None, now: float | None = None) -> str:
    """How long ago something happened.

    Examples
    --------
    >>> ago(100.0, 130.0), ago(0.0, 7300.0), ago(None)
    ('just now', '2 hours ago', '')
    """
    if moment is None:
        return ""
    seconds = max((time.time() if now is None else now) - moment, 0)
    for size, word in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {word}{'s' if count > 1 else ''} ago"
    return "just now"


def _environment() -> Environment:
    env = Environment(
        loader=PackageLoader("covey.web"),
        autoescape=select_autoescape(default=True, default_for_string=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    env.filters |= {"bytes": written_size, "ago": ago, "on_page": on_page}
    env.globals |= {"version": covey.__version__, "kinds": KINDS, "states": STATES}
    return env


_TEMPLATES = _environment()


def render(template: str, *, status: int = 200, fragment: bool = False, **context: Any) -> HTMLResponse:
    """A page, or with `fragment` a piece of one that the browser puts in place even when it is a refusal."""
    headers = {"X-Covey-Fragment": "1"} if fragment else None
    shown = {"here": "new", "steps": None, **context}
    return HTMLResponse(_TEMPLATES.get_template(template).render(shown), status, headers=headers)


def steward_of(request: Request) -> Steward:
    """The steward of this server."""
    steward: Steward = request.app.state.steward
    return steward


async def form_of(request: Request) -> Mapping[str, str]:
    """The text fields of a posted form; of a repeated one the last."""
    form = await request.form()
    return {name: value for name, value in form.items() if isinstance(value, str)}


def words_for(kind: str) -> dict[str, Any]:
    """What rows and items are called for this kind of data."""
    return {"rows_word": ROWS[kind], "items_word": ITEMS[kind]}


def steps(
    current: str,
    *,
    data: str | None = None,
    job: str | None = None,
    query: str = "",
    ahead: bool = True,
) -> list[dict[str, Any]]:
    """The steps as links, as far as they can be gone to.

    Parameters
    ----------
    current : str
        The key of the step that is shown.
    data, job : str or None
        Ids of the dataset and the job, where there are any.
    query : str
        The promise as a query string, once it was chosen.
    ahead : bool
        Whether the data is fit for the steps after the second.
    """
    urls: dict[str, str] = {"file": "/"}
    if data is not None:
        base = f"/data/{quote(data)}"
        urls |= {"data": base}
        if ahead:
            urls |= {"risk": f"{base}/risk", "promise": f"{base}/promise"}
        if query:
            urls |= {"promise": f"{base}/promise?{query}", "method": f"{base}/method?{query}"}
    if job is not None:
        urls |= {"run": f"/jobs/{quote(job)}/run"}
        if current == "result":
            urls |= {"result": f"/jobs/{quote(job)}"}
    place = [key for key, _ in STEPS].index(current)
    return [
        {"name": name, "url": urls.get(key, ""), "current": key == current, "done": number < place}
        for number, (key, name) in enumerate(STEPS)
    ]


def promise_query(guarantee: str, **more: str) -> str:
    """A guarantee given as text, as the query string of the promise's form."""
    from covey.parameters import parse_call

    name, _, values = parse_call(guarantee)
    return urlencode({"name": name, **{key: str(value) for key, value in values.items()}, **more})


def wants_fragment(request: Request) -> bool:
    """Whether a script asked, which puts the answer into the page."""
    return request.headers.get("HX-Request") == "true"


def go(request: Request, url: str) -> Response:
    """Send the browser to another page, also when a script asked."""
    if wants_fragment(request):
        return Response(status_code=204, headers={"HX-Redirect": url})
    return RedirectResponse(url, status_code=303)


def error_response(request: Request, status: int, title: str, message: str) -> Response:
    """An error as a page, or as a note inside the page when a script asked.

    `title` may be the name of an error's class; people are told what it means.
    """
    words = ERRORS.get(title, ERRORS.get(str(status), title))
    if wants_fragment(request):
        return render("trouble.html", status=status, fragment=True, title=words, message=message)
    return render("error.html", status=status, title=words, message=message, back=back_from(request.url.path))


def back_from(path: str) -> str:
    """The page to go back to from one that did not work.

    Examples
    --------
    >>> back_from("/data/7/start"), back_from("/data/7/roles"), back_from("/data/7"), back_from("/jobs/3/cancel")
    ('/data/7/promise', '/data/7', '/', '/jobs/3')
    """
    parts = path.strip("/").split("/")
    if len(parts) < 3 or parts[0] not in ("data", "jobs"):
        return "/"
    return "/" + "/".join([*parts[:2], *(["promise"] if parts[2] == "start" else [])])


def install(app: FastAPI, steward: Steward) -> None:
    """Add the pages to an application.

    Parameters
    ----------
    app : FastAPI
        The API's application.
    steward : Steward
        What the pages call.
    """
    from covey.web import pages_data, pages_jobs, pages_kept

    app.state.steward = steward
    static = Path(str(files("covey.web"))) / "static"
    app.mount("/static", StaticFiles(directory=static), name="static")
    app.include_router(pages_data.router)
    app.include_router(pages_jobs.router)
    app.include_router(pages_kept.router)
