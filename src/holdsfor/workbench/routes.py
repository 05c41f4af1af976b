"""The requests of a page: a desk, findings about rules, runs, tables, explanations and pictures."""

from __future__ import annotations

import itertools
from collections import OrderedDict
from typing import Any

from fastapi import FastAPI, HTTPException
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from holdsfor import __version__
from holdsfor.workbench import answers
from holdsfor.workbench.benches import MAIN, Bench, Benches
from holdsfor.workbench.desk import RuleFile
from holdsfor.workbench.gallery import examples
from holdsfor.workbench.guard import RequestGuard
from holdsfor.workbench.links import LONGEST, bundle_of, packed, unpacked
from holdsfor.workbench.pictures import graph_page, has_map, map_page, timeline_page
from holdsfor.workbench.tables import MEDIA, MOST_ROWS, View

BENCH = "x-holdsfor-bench"
"""The header with the name of the program that a page edits."""
_LONGEST = 5_000_000
_KEPT_GRAPHS = 4

Text = Field(max_length=_LONGEST)
Short = Field("", max_length=100)


class RuleTexts(BaseModel):
    """The rule files as they are on the page."""

    files: dict[str, str] = Field(default_factory=dict)


class PositionRequest(RuleTexts):
    """A position in a rule file, in units of UTF-16."""

    name: str
    offset: int = Field(0, ge=0)


class Trial(RuleTexts):
    """A run over the sample; durations are time-points, or text such as 10min where the unit is known."""

    window: str = Short
    step: str = Short


class GraphRequest(RuleTexts):
    """A request for a graph, with the input that rules read on request."""

    inputs: bool = True


class ExplanationRequest(BaseModel):
    """A request for an explanation."""

    run: int
    question: str = Field(max_length=10_000)
    at: str = Field(max_length=100)


class RowsRequest(BaseModel):
    """A request for rows of a table of a run."""

    run: int
    table: str
    search: str = Field("", max_length=1_000)
    sort: str = Short
    descending: bool = False
    offset: int = Field(0, ge=0)
    limit: int = Field(200, ge=1, le=MOST_ROWS)
    format: str = Short

    @property
    def view(self) -> View:
        """The filter and the order of the rows."""
        return View(self.search, self.sort, self.descending)


class Named(BaseModel):
    """A rule file by its name."""

    name: str


class Saved(Named):
    """A new text of a file, and the version of the file that was edited."""

    text: str = Text
    version: str


class LinkRequest(BaseModel):
    """The content of a link."""

    share: str = Field(max_length=LONGEST)


def _bench(benches: Benches, request: Request) -> Bench:
    return benches[request.headers.get(BENCH, MAIN)]


def add_open_routes(app: FastAPI, benches: Benches, live: str | None) -> None:
    """The routes of programs: the files of the command line, examples, and links."""

    @app.get("/api/desk")
    def start(request: Request) -> dict[str, Any]:
        bench = _bench(benches, request)
        setting = bench.desk.setting
        return {
            "version": __version__,
            "bench": bench.name,
            "title": bench.title,
            "options": bench.options,
            "files": {name: _file(file) for name, file in bench.desk.read_all().items()},
            "events": [str(path) for path in setting.events],
            "may_save": setting.may_save,
            "is_metric": bench.desk.is_metric,
            "live": live if bench.name == MAIN else None,
        }

    @app.get("/api/examples")
    def gallery() -> list[dict[str, Any]]:
        return [
            {
                "name": one.name,
                "title": one.title,
                "about": one.about,
                "rules": [path.name for path in one.rules],
                "events": [path.name for path in one.events],
                "tables": [path.name for path in one.background],
            }
            for one in examples()
        ]

    @app.post("/api/example")
    def open_example(named: Named) -> dict[str, str]:
        return {"bench": benches.open_example(named.name).name}

    @app.post("/api/share")
    def share(request: Request, trial: Trial) -> dict[str, str]:
        desk = _bench(benches, request).desk
        texts = {desk.path(source.name): source.text for source in desk.sources(trial.files)}
        options = {"unit": desk.setting.unit, "window": trial.window, "step": trial.step}
        setting = desk.setting
        return {"share": packed(bundle_of(texts, desk.events, setting.background, setting.mapping, options))}

    @app.post("/api/peek")
    def peek(link: LinkRequest) -> dict[str, Any]:
        bundle = unpacked(link.share)
        files = {**bundle.rules, **bundle.loaded, **bundle.events, **bundle.background}
        return {"files": {name: text.count("\n") + (text[-1:] not in {"", "\n"}) for name, text in files.items()}}

    @app.post("/api/open")
    def open_link(link: LinkRequest) -> dict[str, str]:
        return {"bench": benches.open_link(link.share).name}


def _file(file: RuleFile) -> dict[str, str]:
    return {"text": file.text, "version": file.version}


def add_rule_routes(app: FastAPI, benches: Benches, guard: RequestGuard) -> None:
    """Findings, words, files, and the graph of the rules as they are now."""
    graphs: OrderedDict[int, str] = OrderedDict()
    numbers = itertools.count(1)

    @app.post("/api/check")
    def check(request: Request, texts: RuleTexts) -> dict[str, Any]:
        return answers.checked(_bench(benches, request), texts.files)

    @app.post("/api/complete")
    def complete(request: Request, place: PositionRequest) -> list[dict[str, str]]:
        return answers.completions(_bench(benches, request).desk, place.files, place.name, place.offset)

    @app.post("/api/hover")
    def hover(request: Request, place: PositionRequest) -> dict[str, Any] | None:
        return answers.hover(_bench(benches, request).desk, place.files, place.name, place.offset)

    @app.post("/api/format")
    def format_file(request: Request, place: PositionRequest) -> dict[str, str]:
        return {"text": answers.formatted(_bench(benches, request).desk, place.files, place.name)}

    @app.post("/api/read")
    def read(request: Request, named: Named) -> dict[str, str]:
        return _file(_bench(benches, request).desk.read(named.name))

    @app.put("/api/save")
    def save(request: Request, saved: Saved) -> dict[str, str]:
        return _file(_bench(benches, request).desk.save(saved.name, saved.text, saved.version))

    @app.post("/api/graph")
    def graph(request: Request, drawn: GraphRequest) -> dict[str, str]:
        number = next(numbers)
        graphs[number] = graph_page(_bench(benches, request).desk, drawn.files, inputs=drawn.inputs)
        while len(graphs) > _KEPT_GRAPHS:
            graphs.popitem(last=False)
        return {"address": guard.address(f"/picture/graph/{number}")}

    @app.get("/picture/graph/{number}")
    def picture(number: int) -> HTMLResponse:
        if number not in graphs:
            raise HTTPException(404, "that graph is no longer there")
        return HTMLResponse(graphs[number])


def add_run_routes(app: FastAPI, benches: Benches, guard: RequestGuard) -> None:
    """Runs over the sample, their tables, reasons and pictures."""

    @app.post("/api/run")
    def run(request: Request, trial: Trial) -> dict[str, Any]:
        bench = _bench(benches, request)
        desk = bench.desk
        made = desk.recognise(trial.files, {"window": trial.window.strip(), "step": trial.step.strip()})
        base = f"/picture/{bench.name}"
        pictures = {
            "timeline": guard.address(f"{base}/timeline/{made.number}"),
            "timeline_with_input": guard.address(f"{base}/timeline/{made.number}/input"),
            "map": guard.address(f"{base}/map/{made.number}") if has_map(desk, made) else None,
        }
        return {**answers.run_data(desk, made), "pictures": pictures}

    @app.post("/api/explain")
    def explain(request: Request, question: ExplanationRequest) -> dict[str, Any]:
        return answers.explained(_bench(benches, request).desk, question.run, question.question, question.at)

    @app.post("/api/rows")
    def rows(request: Request, wanted: RowsRequest) -> dict[str, Any]:
        made = _bench(benches, request).desk.run(wanted.run)
        return answers.rows(made, wanted.table, wanted.view, wanted.offset, wanted.limit)

    @app.post("/api/export")
    def export(request: Request, wanted: RowsRequest) -> Response:
        made = _bench(benches, request).desk.run(wanted.run)
        text = answers.exported(made, wanted.table, wanted.view, wanted.format)
        return Response(text, media_type=MEDIA[wanted.format])

    @app.get("/picture/{name}/timeline/{number}")
    def timeline(name: str, number: int) -> HTMLResponse:
        return HTMLResponse(timeline_page(benches[name].desk.run(number), with_input=False))

    @app.get("/picture/{name}/timeline/{number}/input")
    def timeline_with_input(name: str, number: int) -> HTMLResponse:
        return HTMLResponse(timeline_page(benches[name].desk.run(number), with_input=True))

    @app.get("/picture/{name}/map/{number}")
    def map_of_run(name: str, number: int) -> HTMLResponse:
        desk = benches[name].desk
        found = map_page(desk, desk.run(number))
        if found is None:
            raise HTTPException(404, "nothing in the input has coordinates")
        return HTMLResponse(found)
