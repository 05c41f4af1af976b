"""Who may talk to the page: browsers on this machine that have its token, and nobody else."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

TOKEN = "x-holdsfor-token"  # noqa: S105 -- the name of a header
_LOCAL = frozenset({"localhost", "127.0.0.1", "[::1]"})
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; "
    "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
# Pictures bring their script and style along, and get nothing else; they may be shown inside the page.
_PICTURE_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'"
)

Next = Callable[[Request], Awaitable[Response]]


def new_token() -> str:
    """A token that nobody can guess."""
    return secrets.token_urlsafe(24)


class Guard:
    """Refuses requests that come by another name (a page elsewhere that points its own name here), and requests that
    change or work anything out without the token.
    """

    def __init__(self, token: str) -> None:
        self._token = token

    async def __call__(self, request: Request, call_next: Next) -> Response:
        """Let a request through, or not."""
        host = request.headers.get("host", "")
        name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
        if name not in _LOCAL:
            return _refusal("this page is for browsers on the same machine; open it as http://localhost")
        if request.method not in {"GET", "HEAD"} and not self._has_token(request):
            return _refusal("the token is missing or wrong; open the page by the address that was printed")
        response = await call_next(request)
        is_picture = request.url.path.startswith("/picture/")
        response.headers["Content-Security-Policy"] = _PICTURE_POLICY if is_picture else _POLICY
        response.headers["X-Content-Type-Options"] = "nosniff"
        response.headers["Referrer-Policy"] = "no-referrer"
        response.headers["Cache-Control"] = "no-store"
        return response

    def _has_token(self, request: Request) -> bool:
        return secrets.compare_digest(request.headers.get(TOKEN, "").encode(), self._token.encode())


def _refusal(message: str) -> Response:
    return JSONResponse({"error": message}, status_code=403)
