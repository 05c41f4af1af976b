"""The page as a web application."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from importlib.resources import files

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.staticfiles import StaticFiles

from holdsfor import __version__
from holdsfor.diagnostics import HoldsforError, ProgramError
from holdsfor.monitoring import CONTENT_TYPE
from holdsfor.workbench import answers
from holdsfor.workbench.benches import Benches
from holdsfor.workbench.desk import Conflict, Desk
from holdsfor.workbench.guard import RequestGuard
from holdsfor.workbench.routes import add_open_routes, add_rule_routes, add_run_routes
from holdsfor.workbench.watching import Watch

_STATIC = files("holdsfor.workbench").joinpath("static")
_PAUSE = 0.5
"""Seconds between two reads of the output of a stream."""
_SIGN_OF_LIFE = 10.0


def make_app(desk: Desk | None, token: str, watch: Watch | None = None) -> FastAPI:
    """The application; `token` must come with every request that reads, changes or evaluates anything.

    Without a desk it begins with an empty one, and the examples.
    """
    app = FastAPI(title="holdsfor", version=__version__, docs_url=None, redoc_url=None, openapi_url=None)
    guard = RequestGuard(token)
    app.middleware("http")(guard)
    app.add_exception_handler(HoldsforError, _problem)
    app.add_exception_handler(RequestValidationError, _misfit)
    app.add_exception_handler(StarletteHTTPException, _missing)
    app.add_exception_handler(Exception, _bug)

    @app.get("/")
    def page() -> HTMLResponse:
        return HTMLResponse(_STATIC.joinpath("index.html").read_text(encoding="utf-8"))

    benches = Benches(desk)
    add_open_routes(app, benches, None if watch is None else guard.address("/live"))
    add_rule_routes(app, benches, guard)
    add_run_routes(app, benches, guard)
    if watch is not None:

        @app.get("/live")
        async def live() -> Response:
            return StreamingResponse(_events(watch), media_type="text/event-stream")

        @app.get("/metrics")
        def metrics() -> Response:
            watch.look()
            return Response(watch.metrics.text(), media_type=CONTENT_TYPE)

    app.mount("/static", StaticFiles(packages=[("holdsfor.workbench", "static")]), name="static")
    return app


# A stream that runs elsewhere


async def _events(watch: Watch) -> AsyncIterator[str]:
    """Server-sent events: the state of the stream after every change, and a keep-alive comment from time to time."""
    last, quiet = -1, 0.0
    # A browser that has lost the connection tries again after this time.
    yield "retry: 1000\n\n"
    while not watch.is_over():
        version = await asyncio.to_thread(watch.look)
        if version != last:
            last, quiet = version, 0.0
            yield f"data: {json.dumps(await asyncio.to_thread(watch.view))}\n\n"
        elif quiet >= _SIGN_OF_LIFE:
            quiet = 0.0
            yield ": still here\n\n"
        quiet += _PAUSE
        await asyncio.sleep(_PAUSE)


# Errors


async def _problem(_request: object, problem: Exception) -> JSONResponse:
    """The response for an error that a user can cause and can correct."""
    found = [answers.finding(one) for one in problem.diagnostics] if isinstance(problem, ProgramError) else []
    message = found[0]["message"] if found else str(problem)
    status = 409 if isinstance(problem, Conflict) else 422
    return JSONResponse({"error": message, "findings": found}, status_code=status)


async def _misfit(_request: object, problem: Exception) -> JSONResponse:
    assert isinstance(problem, RequestValidationError)
    named = [f"{error['loc'][-1]}: {error['msg']}" for error in problem.errors()]
    return JSONResponse({"error": "; ".join(named)}, status_code=422)


async def _missing(_request: object, problem: Exception) -> JSONResponse:
    assert isinstance(problem, StarletteHTTPException)
    return JSONResponse({"error": str(problem.detail)}, status_code=problem.status_code)


async def _bug(_request: object, problem: Exception) -> JSONResponse:
    return JSONResponse({"error": f"this should not have happened: {type(problem).__name__}: {problem}"}, 500)
