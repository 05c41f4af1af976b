"""The page as a web application."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from importlib.resources import files
from typing import Any

from fastapi import FastAPI, HTTPException
from pydantic import BaseModel, Field
from starlette.responses import HTMLResponse, JSONResponse, Response, StreamingResponse
from starlette.staticfiles import StaticFiles

from holdsfor import __version__
from holdsfor.diagnostics import HoldsforError, ProgramError
from holdsfor.workbench import answers
from holdsfor.workbench.desk import Desk
from holdsfor.workbench.guard import Guard
from holdsfor.workbench.live import Follower

_STATIC = files("holdsfor.workbench").joinpath("static")
_PAUSE = 0.5
"""Seconds between two looks at what a stream has written."""


class Texts(BaseModel):
    """The rule files as they are on the page."""

    files: dict[str, str] = Field(default_factory=dict)


class Place(Texts):
    """A place in one of them, in units of UTF-16."""

    name: str
    offset: int = 0


class Trial(Texts):
    """A run over the sample."""

    window: int | None = Field(None, ge=1)
    step: int | None = Field(None, ge=1)
    start: int | None = None
    end: int | None = None


class Question(BaseModel):
    """Why does it hold, or why not?"""

    question: str
    at: str


class Saved(BaseModel):
    """A new text of a file."""

    text: str


def make_app(desk: Desk, token: str, follower: Follower | None = None) -> FastAPI:
    """The application; `token` must come with every request that changes or works out anything."""
    app = FastAPI(title="holdsfor", version=__version__, docs_url=None, redoc_url=None, openapi_url=None)
    app.middleware("http")(Guard(token))
    app.add_exception_handler(HoldsforError, _problem)

    @app.get("/")
    def page() -> HTMLResponse:
        return HTMLResponse(_STATIC.joinpath("index.html").read_text(encoding="utf-8"))

    @app.get("/api/desk")
    def start() -> dict[str, Any]:
        return {
            "version": __version__,
            "files": desk.files,
            "events": [path.name for path in desk.setting.events],
            "is_metric": desk.is_metric,
            "is_live": follower is not None,
        }

    @app.post("/api/check")
    def check(texts: Texts) -> dict[str, Any]:
        return {"findings": answers.findings(desk, texts.files), **answers.program(desk, texts.files)}

    @app.post("/api/complete")
    def complete(place: Place) -> list[dict[str, str]]:
        return answers.completions(desk, place.files, place.name, place.offset)

    @app.post("/api/hover")
    def hover(place: Place) -> dict[str, Any] | None:
        return answers.hover(desk, place.files, place.name, place.offset)

    @app.post("/api/format")
    def format_file(place: Place) -> dict[str, str]:
        return {"text": answers.formatted(desk, place.files, place.name)}

    @app.post("/api/run")
    def run(trial: Trial) -> dict[str, Any]:
        options = trial.model_dump(exclude={"files"})
        return answers.run_data(desk.recognise(trial.files, options))

    @app.post("/api/explain")
    def explain(question: Question) -> dict[str, Any]:
        return answers.explained(desk, question.question, question.at)

    @app.put("/api/files/{name:path}")
    def save(name: str, saved: Saved) -> dict[str, str]:
        desk.save(name, saved.text)
        return {"saved": name}

    @app.get("/picture/timeline/{number}")
    def timeline(number: int) -> HTMLResponse:
        if desk.run is None or desk.run.number != number:
            raise HTTPException(404, "that run is no longer there")
        return HTMLResponse(desk.run.result.timeline(unit=None).html())

    @app.get("/api/live")
    async def live() -> Response:
        if follower is None:
            raise HTTPException(404, "no stream is being followed; start with --attach")
        return StreamingResponse(_events(follower), media_type="text/event-stream")

    app.mount("/static", StaticFiles(packages=[("holdsfor.workbench", "static")]), name="static")
    return app


async def _events(follower: Follower) -> AsyncIterator[str]:
    """Server-sent events: what is new, and now and then a sign of life."""
    mine = Follower(follower.changes, follower.reports)
    quiet = 0.0
    while True:
        news = await asyncio.to_thread(lambda: list(mine.news()))
        for one in news:
            yield f"data: {json.dumps(one, default=str)}\n\n"
        quiet = 0.0 if news else quiet + _PAUSE
        if quiet >= 10:
            yield ": still here\n\n"
            quiet = 0.0
        await asyncio.sleep(_PAUSE)


async def _problem(_request: object, problem: Exception) -> JSONResponse:
    found = [one.render() for one in problem.diagnostics] if isinstance(problem, ProgramError) else []
    return JSONResponse({"error": str(problem), "findings": found}, status_code=422)
