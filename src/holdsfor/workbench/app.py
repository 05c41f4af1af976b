"""The page as a web application."""

from __future__ import annotations

import asyncio
import itertools
import json
from collections import OrderedDict
from collections.abc import AsyncIterator
from importlib.resources import files
from typing import Any

from fastapi import FastAPI, HTTPException
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, Field
from starlette.exceptions import HTTPException as StarletteHTTPException
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.staticfiles import StaticFiles

from holdsfor import __version__
from holdsfor.diagnostics import HoldsforError, ProgramError
from holdsfor.workbench import answers
from holdsfor.workbench.desk import Conflict, Desk, RuleFile
from holdsfor.workbench.guard import Guard
from holdsfor.workbench.pictures import has_map, map_page, timeline_page
from holdsfor.workbench.watching import Watch

_STATIC = files("holdsfor.workbench").joinpath("static")
_PAUSE = 0.5
"""Seconds between two looks at what a stream has written."""
_SIGN_OF_LIFE = 10.0
_LONGEST = 5_000_000
_KEPT_GRAPHS = 4

Text = Field(max_length=_LONGEST)


class Texts(BaseModel):
    """The rule files as they are on the page."""

    files: dict[str, str] = Field(default_factory=dict)


class Place(Texts):
    """A place in one of them, in units of UTF-16."""

    name: str
    offset: int = Field(0, ge=0)


class Trial(Texts):
    """A run over the sample."""

    window: int | None = Field(None, ge=1)
    step: int | None = Field(None, ge=1)


class Question(BaseModel):
    """Why does it hold, or why not?"""

    run: int
    question: str = Field(max_length=10_000)
    at: str = Field(max_length=100)


class Named(BaseModel):
    """A rule file by its name."""

    name: str


class Saved(Named):
    """A new text of a file, and the version of it that somebody has worked on."""

    text: str = Text
    version: str


def make_app(desk: Desk, token: str, watch: Watch | None = None) -> FastAPI:
    """The application; `token` must come with every request that reads or changes or works out anything."""
    app = FastAPI(title="holdsfor", version=__version__, docs_url=None, redoc_url=None, openapi_url=None)
    guard = Guard(token)
    app.middleware("http")(guard)
    app.add_exception_handler(HoldsforError, _problem)
    app.add_exception_handler(RequestValidationError, _misfit)
    app.add_exception_handler(StarletteHTTPException, _missing)
    app.add_exception_handler(Exception, _bug)

    @app.get("/")
    def page() -> HTMLResponse:
        return HTMLResponse(_STATIC.joinpath("index.html").read_text(encoding="utf-8"))

    @app.get("/api/desk")
    def start() -> dict[str, Any]:
        return {
            "version": __version__,
            "files": {name: _file(file) for name, file in desk.read_all().items()},
            "events": [str(path) for path in desk.setting.events],
            "is_metric": desk.is_metric,
            "live": None if watch is None else guard.address("/live"),
        }

    _rule_routes(app, desk, guard)
    _run_routes(app, desk, guard)
    if watch is not None:

        @app.get("/live")
        async def live() -> Response:
            return StreamingResponse(_events(watch), media_type="text/event-stream")

    app.mount("/static", StaticFiles(packages=[("holdsfor.workbench", "static")]), name="static")
    return app


def _file(file: RuleFile) -> dict[str, str]:
    return {"text": file.text, "version": file.version}


def _rule_routes(app: FastAPI, desk: Desk, guard: Guard) -> None:
    graphs: OrderedDict[int, str] = OrderedDict()
    numbers = itertools.count(1)

    @app.post("/api/check")
    def check(texts: Texts) -> dict[str, Any]:
        return answers.checked(desk, texts.files)

    @app.post("/api/complete")
    def complete(place: Place) -> list[dict[str, str]]:
        return answers.completions(desk, place.files, place.name, place.offset)

    @app.post("/api/hover")
    def hover(place: Place) -> dict[str, Any] | None:
        return answers.hover(desk, place.files, place.name, place.offset)

    @app.post("/api/format")
    def format_file(place: Place) -> dict[str, str]:
        return {"text": answers.formatted(desk, place.files, place.name)}

    @app.post("/api/read")
    def read(named: Named) -> dict[str, str]:
        return _file(desk.read(named.name))

    @app.put("/api/save")
    def save(saved: Saved) -> dict[str, str]:
        return _file(desk.save(saved.name, saved.text, saved.version))

    @app.post("/api/graph")
    def graph(texts: Texts) -> dict[str, str]:
        number = next(numbers)
        graphs[number] = desk.reasoner(texts.files).graph().html()
        while len(graphs) > _KEPT_GRAPHS:
            graphs.popitem(last=False)
        return {"address": guard.address(f"/picture/graph/{number}")}

    @app.get("/picture/graph/{number}")
    def graph_page(number: int) -> HTMLResponse:
        if number not in graphs:
            raise HTTPException(404, "that graph is no longer there")
        return HTMLResponse(graphs[number])


def _run_routes(app: FastAPI, desk: Desk, guard: Guard) -> None:
    @app.post("/api/run")
    def run(trial: Trial) -> dict[str, Any]:
        made = desk.recognise(trial.files, {"window": trial.window, "step": trial.step})
        number = made.number
        pictures = {
            "timeline": guard.address(f"/picture/timeline/{number}"),
            "timeline_with_input": guard.address(f"/picture/timeline/{number}/input"),
            "map": guard.address(f"/picture/map/{number}") if has_map(desk, made) else None,
        }
        return {**answers.run_data(desk, made), "pictures": pictures}

    @app.post("/api/explain")
    def explain(question: Question) -> dict[str, Any]:
        return answers.explained(desk, question.run, question.question, question.at)

    @app.get("/picture/timeline/{number}")
    def timeline(number: int) -> HTMLResponse:
        return HTMLResponse(timeline_page(desk.run(number), with_input=False))

    @app.get("/picture/timeline/{number}/input")
    def timeline_with_input(number: int) -> HTMLResponse:
        return HTMLResponse(timeline_page(desk.run(number), with_input=True))

    @app.get("/picture/map/{number}")
    def map_of_run(number: int) -> HTMLResponse:
        found = map_page(desk, desk.run(number))
        if found is None:
            raise HTTPException(404, "nothing in the input has coordinates")
        return HTMLResponse(found)


# A stream that runs elsewhere


async def _events(watch: Watch) -> AsyncIterator[str]:
    """Server-sent events: how things are, whenever that has changed, and now and then a sign of life."""
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


# What goes wrong


async def _problem(_request: object, problem: Exception) -> JSONResponse:
    """Something that a user can cause and can do something about."""
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
