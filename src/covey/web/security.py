"""Who may ask, from where, and what browsers may do with the answers; one layer around the whole application."""

from __future__ import annotations

import hmac
import ipaddress
import socket
from html import escape
from urllib.parse import quote, urlencode, urlsplit

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from covey.web.settings import LOCAL, Settings

COOKIE = "covey_token"

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
)

HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    # Not "no-referrer": with that, browsers send forms of the own site with the origin "null".
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
}

#: Methods that change nothing.
SAFE = ("GET", "HEAD", "OPTIONS")
#: Bytes of a body that is not a file.
MOST_BODY = 4 << 20
ELSEWHERE = (403, "Refused", "The request comes from another site.")


class Guard:
    """Checks every request before the application sees it, and adds headers to every answer."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app, self._settings = app, settings
        self._hosts = allowed_hosts(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # there are no web sockets here; the server closes the connection
        request = Request(scope)
        own = HEADERS if scope["path"].startswith("/static/") else {**HEADERS, "cache-control": "no-store"}

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in own.items():
                    headers.setdefault(name, value)
            await send(message)

        answer = self._refusal(request) or self._entry(request)
        if answer is None and not self._is_authorised(request):
            answer = refused(401, "Not authorised", "Open the address with the token that the server printed.")
        if answer is not None:
            await answer(scope, receive, guarded)
        else:
            await self._app(scope, receive if _streams(request) else _limited(receive), guarded)

    def _refusal(self, request: Request) -> Response | None:
        headers, host = request.headers, request.headers.get("host", "")
        if not self._allows(host):
            return refused(421, "Unknown host", "This server does not answer under that name.")
        if request.method in SAFE:
            return None
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return refused(*ELSEWHERE)
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
            return refused(*ELSEWHERE)
        length = headers.get("content-length", "0")
        if not _streams(request) and length.isdigit() and int(length) > MOST_BODY:
            return refused(413, "Too large", "The request is larger than a form can be.")
        return None

    def _allows(self, host: str) -> bool:
        name = host_name(host)
        if name in self._hosts:
            return True
        # A page elsewhere can make a browser believe that its name leads here, but not that a number is its own.
        return not self._settings.local and _is_address(name)

    def _is_authorised(self, request: Request) -> bool:
        token = self._settings.token
        return token is None or _is_same(request.cookies.get(COOKIE, ""), token)

    def _entry(self, request: Request) -> Response | None:
        """Return the way in: a page opened with the right token in its address gives it as a cookie."""
        token, given = self._settings.token, request.query_params.get("token")
        if token is None or request.method != "GET" or given is None or not _is_same(given, token):
            return None
        rest = urlencode([(key, value) for key, value in request.query_params.multi_items() if key != "token"])
        # Two slashes at the front, of either kind, would lead to another site.
        path = quote(request.scope["path"].encode("utf-8", "surrogatepass").lstrip(b"/\\"))
        answer = RedirectResponse(f"/{path}?{rest}" if rest else f"/{path}", status_code=303)
        answer.headers["set-cookie"] = f"{COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict"
        return answer


def refused(status: int, title: str, message: str) -> Response:
    """Return a page of its own; someone who is refused gets none of the application's style and scripts."""
    head = f'<!doctype html><html lang="en"><title>{escape(title)}</title>'
    return HTMLResponse(f"{head}<h1>{escape(title)}</h1><p>{escape(message)}</p></html>", status)


def allowed_hosts(settings: Settings) -> set[str]:
    """Return the names under which the server may be called."""
    names = {*LOCAL}
    if not settings.local:
        names |= {settings.host, socket.gethostname()}
    return {name.lower() for name in names}


def host_name(host: str) -> str:
    """Return the name in a Host header, without the port.

    Examples
    --------
    >>> host_name("localhost:8000"), host_name("[::1]:8000"), host_name("evil.example:80:90")
    ('localhost', '::1', '')
    """
    name, _, port = host.rpartition(":") if host.count(":") == 1 or "]:" in host else (host, "", "")
    if port and not port.isdigit():
        return ""
    if name.startswith("[") and name.endswith("]"):
        return name[1:-1].lower()
    return "" if ":" in name else name.lower()


def _is_same(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), token.encode())


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _streams(request: Request) -> bool:
    """Return whether a body may hold a file, which is limited where it is received."""
    return request.headers.get("content-type", "").partition(";")[0].strip().lower() == "multipart/form-data"


def _limited(receive: Receive) -> Receive:
    """Return the same, but a body that grows beyond all forms ends as if the client had gone."""
    held = 0

    async def limited() -> Message:
        nonlocal held
        message = await receive()
        held += len(message.get("body", b""))
        return {"type": "http.disconnect"} if held > MOST_BODY else message

    return limited
