"""Access control of the page: only browsers on this machine that have its token."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

TOKEN = "x-holdsfor-token"  # noqa: S105 -- the name of a header
_LOCAL = frozenset({"localhost", "127.0.0.1", "[::1]"})
_OPEN = ("/static/", "/metrics")
"""Paths without access control: files that are the same for all users, and numbers that reveal no entity."""
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# Pictures bring their script and style along, and get nothing else; they may be shown inside the page, where they belong
# to no site and so can touch nothing.
_PICTURE_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'self'; sandbox allow-scripts"
)

Next = Callable[[Request], Awaitable[Response]]


def new_token() -> str:
    """A random token."""
    return secrets.token_urlsafe(24)


class RequestGuard:
    """Refuses requests that come by another name (a page elsewhere that points its own name here), and requests that do
    not have the token. Frames and event streams cannot send it: their addresses have a key that is good for this one
    address only, so that a picture never sees the token.
    """

    def __init__(self, token: str) -> None:
        self._token = token.encode()

    def address(self, path: str) -> str:
        """A path with its key."""
        return f"{path}?key={self._key(path)}"

    def _key(self, path: str) -> str:
        return hmac.new(self._token, path.encode(), hashlib.sha256).hexdigest()

    async def __call__(self, request: Request, call_next: Next) -> Response:
        """Let a request through, or not."""
        if not _is_local(request.headers.get("host", "")):
            return _refusal("this page is for browsers on the same machine; open it by the address that was printed")
        path = request.url.path
        is_reading = request.method in {"GET", "HEAD"}
        is_open = is_reading and (path == "/" or path.startswith(_OPEN))
        if not is_open and not self._has_token(request) and not (is_reading and self._has_key(request)):
            return _refusal("the token is missing or wrong; open the page by the address that was printed")
        response = await call_next(request)
        policy = _PICTURE_POLICY if path.startswith("/picture/") else _POLICY
        response.headers["Content-Security-Policy"] = policy
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Referrer-Policy"] = "no-referrer"
        response.headers["Cross-Origin-Resource-Policy"] = "same-origin"
        response.headers["Cache-Control"] = "no-store"
        return response

    def _has_token(self, request: Request) -> bool:
        return secrets.compare_digest(request.headers.get(TOKEN, "").encode(), self._token)

    def _has_key(self, request: Request) -> bool:
        given = request.query_params.get("key", "").encode()
        return secrets.compare_digest(given, self._key(request.url.path).encode())


def _is_local(host: str) -> bool:
    name, colon, port = host.rpartition(":")
    return host in _LOCAL or (bool(colon) and name in _LOCAL and port.isdigit())


def _refusal(message: str) -> Response:
    return JSONResponse({"error": message}, status_code=403)
