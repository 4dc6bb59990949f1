"""Who may ask, from where, and what browsers may do with the answers; one layer around the whole application."""

from __future__ import annotations

import hmac
import ipaddress
import socket
from collections.abc import Awaitable, Callable, MutableMapping
from html import escape
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode, urlsplit

from covey.web.settings import LOCAL, Settings

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

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


class Guard:
    """Checks every request before the application sees it, and adds headers to every answer.

    Parameters
    ----------
    app : ASGI application
        What is guarded.
    settings : Settings
        Where the server listens, and the token.
    """

    def __init__(self, app: App, settings: Settings) -> None:
        self._app, self._settings = app, settings
        self._hosts = allowed_hosts(settings)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return  # there are no web sockets here; the server closes the connection
        headers = {key.decode("latin-1").lower(): value.decode("latin-1") for key, value in scope["headers"]}
        method = str(scope["method"])
        static = str(scope["path"]).startswith("/static/")

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": _with_headers(message.get("headers", []), static)}
            await send(message)

        problem = self._problem(scope, method, headers)
        if problem is not None:
            await refuse(guarded, *problem)
            return
        entry = self._entry(scope, method, headers)
        if entry is not None:
            await guarded({"type": "http.response.start", "status": 303, "headers": entry})
            await guarded({"type": "http.response.body", "body": b""})
            return
        if not self._authorised(headers):
            await refuse(guarded, 401, "Not authorised", "Open the address with the token that the server printed.")
            return
        await self._app(scope, _limited(receive, headers), guarded)

    def _problem(self, scope: Scope, method: str, headers: dict[str, str]) -> tuple[int, str, str] | None:
        host = headers.get("host", "")
        if not self._allows(host):
            return 421, "Unknown host", "This server does not answer under that name."
        if method in SAFE:
            return None
        if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
            return 403, "Refused", "The request comes from another site."
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc.lower() != host.lower():
            return 403, "Refused", "The request comes from another site."
        length = headers.get("content-length", "0")
        if not _streams(headers) and length.isdigit() and int(length) > MOST_BODY:
            return 413, "Too large", "The request is larger than a form can be."
        return None

    def _allows(self, host: str) -> bool:
        name = host_name(host)
        if name in self._hosts:
            return True
        # A page elsewhere can make a browser believe that its name leads here, but not that a number is its own.
        return not self._settings.local and _is_address(name)

    def _authorised(self, headers: dict[str, str]) -> bool:
        token = self._settings.token
        if token is None:
            return True
        cookies = [part.strip().partition("=") for part in headers.get("cookie", "").split(";")]
        return any(name == COOKIE and _same(value, token) for name, _, value in cookies)

    def _entry(self, scope: Scope, method: str, headers: dict[str, str]) -> list[tuple[bytes, bytes]] | None:
        """The way in: a page opened with the right token in its address gets it as a cookie, and a clean address."""
        token = self._settings.token
        asked = parse_qsl(bytes(scope.get("query_string", b"")).decode("latin-1"), keep_blank_values=True)
        given = dict(asked).get("token")
        if token is None or method != "GET" or given is None or not _same(given, token):
            return None
        rest = urlencode([(key, value) for key, value in asked if key != "token"])
        # Two slashes at the front, of either kind, would lead to another site.
        path = quote(str(scope["path"]).encode("utf-8", "surrogatepass").lstrip(b"/\\"))
        target = f"/{path}?{rest}" if rest else f"/{path}"
        cookie = f"{COOKIE}={token}; Path=/; HttpOnly; SameSite=Strict"
        return [(b"location", target.encode()), (b"set-cookie", cookie.encode())]


async def refuse(send: Send, status: int, title: str, message: str) -> None:
    """Answer with a page of its own; someone who is refused gets none of the application's style and scripts."""
    text = f'<!doctype html><html lang="en"><title>{escape(title)}</title><h1>{escape(title)}</h1><p>{escape(message)}'
    body = f"{text}</p></html>".encode()
    headers = [(b"content-type", b"text/html; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def allowed_hosts(settings: Settings) -> set[str]:
    """The names under which the server may be called."""
    names = {*LOCAL, *settings.hosts}
    if not settings.local:
        names |= {settings.host, socket.gethostname()}
    return {name.lower() for name in names}


def host_name(host: str) -> str:
    """The name in a Host header, without the port.

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


def _same(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode("utf-8", "surrogateescape"), token.encode())


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _streams(headers: dict[str, str]) -> bool:
    """Whether a body may hold a file, which is limited where it is received."""
    return headers.get("content-type", "").partition(";")[0].strip().lower() == "multipart/form-data"


def _limited(receive: Receive, headers: dict[str, str]) -> Receive:
    """The same, but a body that is not a file and grows beyond all forms ends as if the client had gone."""
    if _streams(headers):
        return receive
    held = 0

    async def limited() -> Message:
        nonlocal held
        message = await receive()
        held += len(message.get("body", b""))
        return {"type": "http.disconnect"} if held > MOST_BODY else message

    return limited


def _with_headers(given: list[tuple[bytes, bytes]], static: bool) -> list[tuple[bytes, bytes]]:
    present = {bytes(key).lower() for key, _ in given}
    own = dict(HEADERS) if static else {**HEADERS, "cache-control": "no-store"}
    return [*given, *((k.encode(), v.encode()) for k, v in own.items() if k.encode() not in present)]
