"""One stage of a micro-batch on one bucket by what changes: keys to which nothing happens are neither worked out nor
written again.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.engine import saved
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.evaluation import width
from holdsfor.engine.kernels import EMPTY, Ints
from holdsfor.engine.prepared import Prepared
from holdsfor.engine.retractions import Arrived, has_rows
from holdsfor.engine.state import NEVER, State
from holdsfor.engine.stream import Stream
from holdsfor.incremental.parts import NO_KEYS, Keys, Layer, Layers, Part, Tables, in_order, results_of, stacked
from holdsfor.incremental.sections import Section
from holdsfor.incremental.sequel import Sequel
from holdsfor.ir import INITIAL
from holdsfor.session.dependencies import dependencies
from holdsfor.spark.job import Job, StageSpec, _compiled, prepared
from holdsfor.spark.output import Owner
from holdsfor.spark.streaming.arrivals import Arrivals, by_tag, unmatched_rows
from holdsfor.spark.streaming.causes import Causes, event_texts, report_texts
from holdsfor.spark.streaming.happenings import HAPPENED, compare_events
from holdsfor.spark.streaming.leaving import Leaving, columns_of, section_of
from holdsfor.spark.streaming.matched import Times, matched
from holdsfor.spark.streaming.results import Results, without_value
from holdsfor.spark.streaming.shelving import Packing, Unpacking, symbols_of
from holdsfor.spark.streaming.stages import StandIn, StreamStage
from holdsfor.spark.streaming.staging import stream_stages
from holdsfor.spark.streaming.store import Store
from holdsfor.spark.streaming.turns import Turn
from holdsfor.spark.streaming.vault import Vault
from holdsfor.spark.streaming.window import KeyedWindow
from holdsfor.spreading.stages import Stage


class KeyedBucket:
    """The work on one bucket of a stage."""

    def __init__(self, job: Job, spec: StageSpec, store: Store, turn: Turn, bucket: int) -> None:
        self._job, self._spec, self._turn, self._bucket = job, spec, turn, bucket
        self._store, self._vault = store, Vault(store, spec.number, bucket)
        self._results = Results()
        self._conflicts = self._worked = self._held = self._gone = 0
        self._begin()
        self._shown = Layers()
        if turn.states is None:
            self._window = KeyedWindow(self._stage, turn.windows.size, State.beginning(turn.origin))
        else:
            data, parts = self._vault.read(turn.states, turn.attempt(spec.number, bucket), self._prepared.dictionary)
            saved_state = Unpacking(data, parts, symbols_of(self._stage))
            self._window, self._shown = saved_state.window(self._stage, turn.windows.size), saved_state.shown()
        self._arrivals = Arrivals(job, spec, turn, self._vault.rest, store, bucket)

    def _begin(self) -> None:
        """A stage without any state, and a dictionary without any constants."""
        job, spec = self._job, self._spec
        self._prepared: Prepared = prepared(job, spec)
        self._owner = Owner(job, spec, self._bucket, self._prepared.dictionary)
        self._leaving = Leaving(job, spec, self._owner)
        earlier: dict[int, StandIn] = {}
        stages = _stages(job.program)
        for stage in stages[: spec.number - 1]:
            earlier[stage.number] = StandIn(stage, self._prepared, dict(earlier))
        self._stage = StreamStage(stages[spec.number - 1], self._prepared, earlier, spec.exits)

    # Query times

    def sent(self, given: pa.Table) -> Iterator[pa.Table]:
        """Ask every query time; what later stages need to know."""
        before, owner = self._stage.whole(), self._owner
        if self._turn.is_anew:
            self._work_anew()
        for query, arrived, lost in self._arrivals.queries(self._prepared.dictionary):
            if not self._turn.is_anew:
                before, owner = self._stage.whole(), self._owner
                # Query times that were left out would have found what is known, and nothing else.
                if self._window.previous != NEVER:
                    self._window.previous = query - self._turn.windows.step
                self._window.move(query, is_new_pane=query in self._turn.rolls)
            causes = Causes(_made_of(self._job.program))
            self._take_in(query, arrived, lost, causes)
            if len(given):
                self._be_told(given.filter(pc.equal(given["q"], query)), causes)
            self._stage.wake(query)
            if self._window.previous < INITIAL <= query:
                self._stage.panes[-1].is_all_dirty = True
            gone = self._stage.worked_on
            for number, old, new in self._stage.work(self._window.begins, query, self._window.origin):
                for tables, is_new in ((old, False), (new, True)):
                    yield from self._leaving.rows(query, number, tables, causes.told, is_new=is_new)
            self._gone += self._stage.worked_on - gone
            self._window.previous = query
            self._report(query, causes, _Said(self._spec, before, owner))

    def _work_anew(self) -> None:
        """Forget what was worked out, and constants that nobody uses any more: everything follows from the state."""
        dictionary = self._prepared.dictionary
        table = saved.to_table(self._window.state(), self._prepared)
        self._begin()
        self._shown = _spelled_anew(self._shown, self._stage, dictionary)
        self._vault = Vault(self._store, self._spec.number, self._bucket)
        self._window = KeyedWindow(self._stage, self._turn.windows.size, saved.from_table(table, self._prepared))

    def _take_in(self, query: int, arrived: Arrived, lost: Arrived, causes: Causes) -> None:
        stream, window = arrived.stream, self._window
        if has_rows(lost.stream):
            stream, unmatched, met = window.take_back(arrived, lost, query)
            self._name("retracted", met, causes)
            if has_rows(unmatched):
                self._results.unmatched.append(unmatched_rows(unmatched, query, self._owner.texts))
        self._name("late", _late(stream, window.previous), causes)
        window.take_in(stream, query)

    def _name(self, kind: str, stream: Stream, causes: Causes) -> None:
        """Remember which keys some input reaches."""
        sections, texts = self._stage.sections, self._owner.texts
        for symbol, events in stream.events.items():
            if len(events.time) and symbol in self._stage.reads:
                keys = sections.keys(symbol, events.args, len(events.time))
                causes.add(symbol, keys, event_texts(kind, symbol, events, texts, self._job.time_scale))
        for symbol, reports in stream.fluents.items():
            if len(reports.start) and symbol in self._stage.reads:
                keys = sections.keys(symbol, reports.args, len(reports.start))
                causes.add(symbol, keys, report_texts(kind, symbol, reports, texts, self._job.time_scale))

    def _be_told(self, rows: pa.Table, causes: Causes) -> None:
        """Take in what earlier stages have worked out for a query time."""
        stage, dictionary = self._stage, self._prepared.dictionary
        panes = rows["pane"].to_numpy()
        for number in np.unique(panes).tolist():
            mine = rows.filter(pa.array(panes == number))
            keys: dict[int, list[Ints]] = {}
            tables: dict[int, dict[Section, list[Part]]] = {}
            for tag, found in by_tag(self._spec, mine):
                made_in = stage.reads[tag.symbol].made_in
                assert made_in is not None
                columns = columns_of(tag, found, dictionary)
                reached = stage.sections.keys(tag.symbol, columns, len(found))
                causes.add_told(reached, found["causes"].combine_chunks())
                source = stage.earlier[made_in]
                is_new = found["is_new"].to_numpy() > 0
                keys.setdefault(made_in, []).append(source.part(tag.symbol, columns).key)
                new = tuple(column[is_new] for column in columns)
                tables.setdefault(made_in, {}).setdefault(section_of(tag), []).append(source.part(tag.symbol, new))
            for made_in, listed in keys.items():
                news: Tables = {}
                for section, parts in tables[made_in].items():
                    together = stacked(parts)
                    news[section] = Part.of(together.key, together.columns)
                cover = Keys(in_order(np.concatenate(listed)))
                stage.take_note(number, stage.earlier[made_in].replace(number, cover, news))

    # What is found

    def _report(self, query: int, causes: Causes, before: _Said) -> None:
        stage, windows = self._stage, self._turn.windows
        worked, low = stage.worked, query - windows.size
        self._held += stage.keys
        self._worked += stage.keys if worked is None else len(worked)
        if worked is not None and not len(worked):
            return
        now = _Said(self._spec, stage.whole(), self._owner)
        first = self._window.begins[0]
        self._conflicts += now.conflicts(worked, first) - before.conflicts(worked, first)
        # What no longer was in sight at the last query time is nobody's concern.
        last = {
            section.symbol: part.where(part.columns[width(section.symbol) + 2] > low - windows.step + 1)
            for section, part in self._shown.results(worked).items()
        }
        found = {symbol: now.intervals(symbol, worked) for symbol in self._spec.members if self._is_wanted(symbol)}
        times = Times(query, low, query - windows.step)
        changes, shown = matched(last, found, times, self._owner.texts, causes.of)
        self._results.changes.append(changes)
        self._shown.lay(Layer(worked, {Section("shown", symbol): part for symbol, part in shown.items()}, {}))
        if self._job.derived_events:
            was, happened = (said.happened(worked, low, query) for said in (before, now))
            self._results.events.append(compare_events(was, happened, query, low))

    def _is_wanted(self, symbol: Symbol) -> bool:
        return symbol.kind is not EntityKind.EVENT and (self._job.fluents is None or symbol.name in self._job.fluents)

    def finish(self) -> dict[str, Any]:
        """Write what is new, and say what there is."""
        batch, stage = self._turn.batch, self._stage
        counted = self._results.write(self._store, batch, f"{self._spec.number}-{self._bucket}", self._job.time_scale)
        packing = Packing()
        data = packing.window(self._window, self._shown)
        written = self._vault.write(batch, data, packing.parts, self._prepared.dictionary, self._arrivals.rest)
        held = sum(pane.occurrences for pane in stage.panes)
        reports = sum(map(len, stage.reports.values()))
        state = sum(map(len, stage.before.after().values()))
        return {
            **counted,
            **without_value(self._prepared),
            "conflicts": self._conflicts,
            "intervals": _in_sight(self._shown, self._turn.until - self._turn.windows.size),
            "state_rows": state + held + reports + len(self._arrivals.rest),
            "state_bytes": written.size,
            "files": written.batches,
            "attempt": written.attempt,
            "keys_worked": self._worked,
            "keys_held": self._held,
            "gone": self._gone,
            "held": held,
            "values": len(self._prepared.dictionary),
        }


class _Said:
    """What a stage says of some keys, as far as it belongs to the bucket; None is all keys."""

    def __init__(self, spec: StageSpec, whole: Sequel, owner: Owner) -> None:
        self._spec, self._whole, self._owner = spec, whole, owner

    def _rows(self, kind: str, symbol: Symbol, keys: Keys | None) -> Part:
        section = Section(kind, symbol)
        part = self._whole.select(results_of, keys, lambda one: one == section).get(section)
        if part is None:
            return Part(EMPTY, (EMPTY,) * (width(symbol) + _COLUMNS[kind]))
        return part.where(self._owner.owns(symbol, list(part.columns[: width(symbol)]), len(part)))

    def intervals(self, symbol: Symbol, keys: Keys | None) -> Part:
        """The intervals of a fluent."""
        part = self._rows("table", symbol, keys)
        return Part(part.key, part.columns[:-1])

    def happened(self, keys: Keys | None, low: int, now: int) -> pa.Table:
        """The derived events inside a window, as text."""
        tables = [HAPPENED.empty_table()]
        for symbol in self._spec.members:
            if symbol.kind is EntityKind.EVENT:
                part = self._rows("happened", symbol, keys)
                time = part.columns[width(symbol)]
                part = part.where((time > low) & (time <= now))
                terms = self._owner.texts.terms(symbol, part.columns[: width(symbol)], len(part))
                tables.append(pa.table([terms, pa.array(part.columns[width(symbol)])], schema=HAPPENED))
        return pa.concat_tables(tables)

    def conflicts(self, keys: Keys | None, first: int) -> int:
        """How many initiations were broken at their own time-point, from some time-point on."""
        times = [self._rows("conflict", symbol, keys).columns[-1] for symbol in self._spec.members]
        return int(np.count_nonzero(np.concatenate([EMPTY, *times]) >= first))


_COLUMNS = {"table": 4, "happened": 2, "conflict": 1}


def _in_sight(shown: Layers, low: int) -> int:
    """How many intervals reach into a window."""
    count, hidden = 0, NO_KEYS
    for layer in reversed(shown.listed):
        for section, part in layer.results.items():
            is_there = part.columns[width(section.symbol) + 2] > low + 1
            count += int(np.count_nonzero(is_there & ~hidden.has(part.key)))
        if layer.cover is not None:
            hidden = hidden.and_those(layer.cover)
    return count


def _late(stream: Stream, previous: int) -> Stream:
    """What came after the query time that should have seen it."""
    events = {s: table.take(np.flatnonzero(table.time <= previous)) for s, table in stream.events.items()}
    fluents = {s: table.take(np.flatnonzero(table.start <= previous)) for s, table in stream.fluents.items()}
    return Stream(events, fluents)


def _spelled_anew(shown: Layers, stage: StreamStage, old: Dictionary) -> Layers:
    """What was shown, with the codes of another dictionary."""
    tables: Tables = {}
    for section, part in shown.results().items():
        wide = width(section.symbol) + 1
        codes = in_order(np.concatenate([EMPTY, *part.columns[:wide]]))
        new = stage.prepared.dictionary.encode(old.values[code] for code in codes.tolist())
        columns = [new[np.searchsorted(codes, column)] for column in part.columns[:wide]]
        tables[section] = stage.part(section.symbol, (*columns, *part.columns[wide:]))
    return Layers((Layer(None, tables, {}),))


@lru_cache(maxsize=8)
def _stages(program: bytes) -> tuple[Stage, ...]:
    return stream_stages(_compiled(program)).stages


@lru_cache(maxsize=8)
def _made_of(program: bytes) -> dict[Symbol, frozenset[Symbol]]:
    return dependencies(_compiled(program))
