"""The window of a bucket as tables of a vault, and back: which table is what, and everything that is no table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.state import State
from holdsfor.engine.stream import EventColumns
from holdsfor.incremental.panes import Pane, StagePanes
from holdsfor.incremental.parts import Keys, Layer, Layers, Part, Tables
from holdsfor.incremental.sections import Section
from holdsfor.ir import EffectKind
from holdsfor.spark.streaming.stages import Coming, StreamStage
from holdsfor.spark.streaming.window import KeyedWindow

Data = dict[str, Any]


class Packing:
    """Says what there is, and lists its tables."""

    def __init__(self) -> None:
        self.parts: list[Part] = []

    def window(self, window: KeyedWindow, shown: Layers) -> Data:
        """Everything of a window, and what was said of it."""
        stage = window.stage
        announced = {symbol: Part(events.time, events.args) for symbol, events in window.announced.items()}
        return {
            "clock": [window.origin, window.previous],
            "begins": window.begins,
            "keys": stage.keys,
            "panes": [self._pane(pane) for pane in stage.panes],
            "forgotten": [self._pane(pane) for pane in stage.forgotten],
            "before": self._layers(stage.before),
            "reports": self._tables(stage.reports.items()),
            "announced": self._tables(announced.items()),
            "coming": self._part(stage.coming.part()),
            "deadlines": None if stage.deadlines is None else self._part(stage.deadlines.coming.part()),
            "earlier": {
                number: [self._layers(pane.layers) for pane in source.panes] for number, source in stage.earlier.items()
            },
            "shown": self._layers(shown),
        }

    def _pane(self, pane: Pane) -> Data:
        found = {_name(symbol): [self._part(part) for part in runs] for symbol, runs in pane.input.items() if runs}
        return {"begin": pane.begin, "input": found, "layers": self._layers(pane.layers)}

    def _layers(self, layers: Layers) -> list[Data]:
        assert layers.beneath is None
        return [
            {
                "cover": None if layer.cover is None else self._part(Part(layer.cover.listed, ())),
                "results": self._sections(layer.results),
                "after": self._sections(layer.after),
            }
            for layer in layers.listed
        ]

    def _sections(self, tables: Tables) -> list[list[Any]]:
        return [
            [
                section.kind,
                _name(section.symbol),
                None if section.effect is None else section.effect.value,
                self._part(part),
            ]
            for section, part in tables.items()
        ]

    def _tables(self, tables: Iterable[tuple[Symbol, Part]]) -> Data:
        return {_name(symbol): self._part(part) for symbol, part in tables}

    def _part(self, part: Part) -> int:
        self.parts.append(part)
        return len(self.parts) - 1


class Unpacking:
    """Makes a window of tables and what was said of them."""

    def __init__(self, data: Data, parts: Sequence[Part], symbols: Mapping[str, Symbol]) -> None:
        self._data, self._parts, self._symbols = data, parts, symbols

    def window(self, stage: StreamStage, size: int) -> KeyedWindow:
        """The window."""
        data = self._data
        origin, previous = data["clock"]
        begins: list[int] = data["begins"]
        # An empty window first: everything is put into it as it was.
        window = KeyedWindow(stage, size, State(origin, begins[0] - 1, previous, State.beginning(origin).kept))
        window.begins = begins
        stage.keys = data["keys"]
        stage.panes = [self._pane(one) for one in data["panes"]]
        stage.restore_forgotten([self._pane(one) for one in data["forgotten"]])
        stage.before = self._layers(data["before"])
        stage.reports = {self._symbols[name]: self._parts[place] for name, place in data["reports"].items()}
        for name, place in data["announced"].items():
            symbol, part = self._symbols[name], self._parts[place]
            window.announced[symbol] = EventColumns(part.columns, part.key, part.key)
        self._restore(stage.coming, data["coming"])
        if stage.deadlines is not None:
            self._restore(stage.deadlines.coming, data["deadlines"])
        for number, source in stage.earlier.items():
            source.panes = [
                Pane(begin, layers=self._layers(found))
                for begin, found in zip(begins, data["earlier"][str(number)], strict=True)
            ]
        return window

    def shown(self) -> Layers:
        """What was said of every interval in sight."""
        return self._layers(self._data["shown"])

    def _restore(self, coming: Coming, place: int) -> None:
        coming.restore(self._parts[place])

    def _pane(self, data: Data) -> Pane:
        pane = Pane(data["begin"], layers=self._layers(data["layers"]))
        for name, places in data["input"].items():
            pane.input[self._symbols[name]] = [self._parts[place] for place in places]
        return pane

    def _layers(self, listed: Iterable[Data]) -> Layers:
        return Layers(tuple(self._layer(one) for one in listed))

    def _layer(self, data: Data) -> Layer:
        cover = None if data["cover"] is None else Keys(self._parts[data["cover"]].key)
        return Layer(cover, self._sections(data["results"]), self._sections(data["after"]))

    def _sections(self, listed: Iterable[Sequence[Any]]) -> Tables:
        return {
            Section(kind, self._symbols[name], None if effect is None else EffectKind(effect)): self._parts[place]
            for kind, name, effect, place in listed
        }


def symbols_of(stage: StagePanes) -> dict[str, Symbol]:
    """All events and fluents of a program, by their names."""
    return {_name(symbol): symbol for symbol in stage.prepared.analysis.entities.table}


def _name(symbol: Symbol) -> str:
    return f"{symbol.kind} {symbol}"
