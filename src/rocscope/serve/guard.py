"""Checks that every request passes first; all responses also get their headers here.

The Host header must name this server (otherwise a foreign name that resolves to this machine could access it), a
request that changes something must come from the server's own page and carry the cookie, and everything that is not
public requires the cookie, too. Programs send the API token instead of the cookie: a foreign page cannot, because a
browser does not send such a header across origins without a preflight request.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from http import HTTPStatus
from typing import Any

from starlette.responses import JSONResponse, Response

from rocscope.record import record
from rocscope.serve.sessions import Sessions

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]

SAFE = {"GET", "HEAD"}
PUBLIC = {"/", "/session"}  # the empty start page, and the endpoint that exchanges a token for a session
API = "/api/"
API_PUBLIC = {"/health", "/api/openapi.json", "/api/schema.json"}  # endpoints that serve no user data
STRICT = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "content-security-policy": STRICT,
}
NO_TOKEN, SEND_TOKEN = "an API token is required", "Send Authorization: Bearer TOKEN"
BROWSER = {"cookie", "origin", "sec-fetch-site"}  # headers of a browser; a request of a program has none of them
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_HOST = re.compile(r"(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?")


@record
class Guard:
    """ASGI middleware around the application."""

    app: App
    sessions: Sessions
    port: int
    public: bool = False

    @property
    def cookie(self) -> str:
        """The name of the cookie, which includes the port because browsers share cookies between ports."""
        return f"rocscope-{self.port}"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Reject a request, or pass it on."""
        if scope["type"] != "http":
            return
        answer = self._refusal(scope)
        if answer is None:
            await self.app(scope, receive, with_headers(send))
        else:
            await answer(scope, receive, with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        headers, refused = _headers(scope), refusal_at(scope["path"])
        if headers is None:
            return refused(400, "a header was sent twice")
        if not self._ours(headers.get("host", "")):
            return refused(421, "this server only answers requests to its own address")
        if scope["path"] in API_PUBLIC and scope["method"] in SAFE:
            return None
        if scope["path"].startswith(API) and "authorization" in headers:
            return self._refusal_of_program(scope, headers)
        if scope["path"].startswith(API) and not BROWSER & headers.keys():
            return problem(401, NO_TOKEN, hint=SEND_TOKEN)
        if (scope["method"] not in SAFE) and (why := self._foreign(headers)):
            return refused(403, why)
        scope["session"] = self.sessions.of(_cookie(headers.get("cookie", ""), self.cookie))
        path = scope["path"]
        open_to_all = path in PUBLIC or path.startswith("/static/")
        if scope["session"] is None and not open_to_all:
            if path.startswith(API):
                return problem(401, NO_TOKEN, hint=SEND_TOKEN)
            return refused(403, "open the link that the terminal shows")
        return None

    def _refusal_of_program(self, scope: Scope, headers: Mapping[str, str]) -> Response | None:
        """Check the API token of a program; a page that sends it must be the server's own."""
        if ("origin" in headers or "sec-fetch-site" in headers) and (why := self._foreign(headers)):
            return problem(403, why)
        scheme, _, token = headers["authorization"].partition(" ")
        scope["session"] = self.sessions.of_token(token.strip()) if scheme.lower() == "bearer" else None
        if scope["session"] is None:
            return problem(401, "the API token is not valid", hint="It is in the file named by --token-file")
        return None

    def _ours(self, host: str) -> bool:
        """Whether a Host header names this server.

        On a network, any IP address, but no name that others control.
        """
        match = _HOST.fullmatch(host)
        if match is None or int(match[2] or 80) != self.port:
            return False
        name = match[1].lower()
        return name in LOOPBACK or (self.public and _is_number(name))

    def _foreign(self, headers: Mapping[str, str]) -> str:
        """Why a request that changes something is not from the server's own page; '' if it is."""
        origin = headers.get("origin", "")
        if origin != f"http://{headers['host']}":
            return "only requests from the page of this server are accepted"
        if headers.get("sec-fetch-site", "same-origin") != "same-origin":
            return "only requests from the page of this server are accepted"
        return ""


def _headers(scope: Scope) -> dict[str, str] | None:
    """The headers; None if a security-relevant one occurs twice."""
    headers: dict[str, str] = {}
    for name, value in scope["headers"]:
        key = name.decode("latin-1")
        if key in headers and key in ("host", "origin", "content-length", "cookie", "authorization"):
            return None
        headers[key] = value.decode("latin-1")
    return headers


def _cookie(header: str, name: str) -> str | None:
    for part in header.split(";"):
        key, _, value = part.strip().partition("=")
        if key == name:
            return value
    return None


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name.strip("[]"))
    except ValueError:
        return False
    return True


def refused(status: int, why: str, **more: str) -> Response:
    """Create an error response: one sentence as JSON without traceback or path; the connection is closed."""
    return JSONResponse({"error": why, **more}, status_code=status, headers={"connection": "close"})


def problem(status: int, why: str, *, hint: str = "", **more: str) -> Response:
    """Create an error response for programs: a problem document (RFC 9457)."""
    title = HTTPStatus(status).phrase
    body = {"type": "about:blank", "title": title, "status": status, "detail": why, **({"hint": hint} if hint else {})}
    headers = {"connection": "close", **({"www-authenticate": "Bearer"} if status == 401 else {}), **more}
    return JSONResponse(body, status_code=status, headers=headers, media_type="application/problem+json")


def refusal_at(path: str) -> Callable[..., Response]:
    """The error response for a URL: for programs, or for the page."""
    return problem if path.startswith(API) else refused


def with_headers(send: Send) -> Send:
    """Add the standard headers to every response; one that sets its own policy keeps it."""

    async def sending(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = list(message.get("headers", []))
            present = {name for name, _ in headers}
            headers += [(k.encode(), v.encode()) for k, v in HEADERS.items() if k.encode() not in present]
            message = {**message, "headers": headers}
        await send(message)

    return sending
