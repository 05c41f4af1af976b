"""One stage on one bucket through panes: keys are worked out again when something changes for them, or time comes round."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from holdsfor.compiler.analysis.entities import Symbol
from holdsfor.engine.evaluation import Moment, width
from holdsfor.engine.kernels import EMPTY, Ints
from holdsfor.engine.prepared import Prepared
from holdsfor.engine.tables import FOREVER
from holdsfor.incremental.ahead import Ahead
from holdsfor.incremental.deadlines import Deadlines, fixed_delays
from holdsfor.incremental.panes import Pane, StagePanes
from holdsfor.incremental.parts import NO_KEYS, Keys, Layer, Part, Tables, changed_keys, in_order
from holdsfor.incremental.sections import EVERYWHERE, Section
from holdsfor.ir import EffectKind
from holdsfor.spark.job import Exit
from holdsfor.spark.wire import Kind
from holdsfor.spreading.stages import Stage

_MOST = 0.5
"""If more keys than this share are to be worked out, all are."""


class Coming(Ahead):
    """Time-points to come, and the keys that they concern, as rows that can be kept."""

    def part(self) -> Part:
        """The rows."""
        return Part(self._times, (self._keys,))

    def restore(self, part: Part) -> None:
        """Put rows back."""
        self._times, self._keys = part.key, part.columns[0]


class KeptDeadlines(Deadlines):
    """Deadlines that can be kept."""

    def __init__(self, stage: StagePanes, delays: Sequence[int]) -> None:
        super().__init__(stage.sections, delays)
        self._ahead: Coming = Coming()

    @property
    def coming(self) -> Coming:
        """The time-points."""
        return self._ahead


class StandIn(StagePanes):
    """What has come to a bucket of the results of an earlier stage."""

    def replace(self, number: int, cover: Keys, tables: Tables) -> Tables:
        """Keys of which something else is said in a pane now; the rows that are not as they were."""
        pane, layer = self.panes[number], Layer(cover, tables, {})
        news = self._news(pane, layer)
        pane.layers.lay(layer)
        return news

    def let_go(self, begin: int) -> None:
        """Drop panes before the one that begins at a time-point."""
        while self.panes[0].begin < begin:
            self.panes.pop(0)


class StreamStage(StagePanes):
    """A stage whose keys are worked out when they are marked, or due."""

    def __init__(
        self, stage: Stage, prepared: Prepared, earlier: Mapping[int, StandIn], exits: Sequence[Exit] = ()
    ) -> None:
        super().__init__(stage, prepared, dict(earlier))
        self.earlier = earlier
        self.read_later = {way.symbol for way in exits}
        points = (Kind.INITIATED, Kind.TERMINATED)
        self.effects_read = {(way.symbol, EffectKind(way.kind.value)) for way in exits if way.kind in points}
        delays, kept = fixed_delays(stage.strata), prepared.kept
        # Time alone may change what they say, and it is not known when.
        self._is_restless = bool(self.places.keys() & (kept.unsettled | kept.derivable)) or delays is None
        self.deadlines = KeptDeadlines(self, delays) if delays and not self._is_restless else None
        self.coming = Coming()
        self._marked: list[Keys] = []
        self.worked: Keys | None = NO_KEYS
        """The keys that were worked out at the last query time; None is all."""

    @property
    def forgotten(self) -> list[Pane]:
        """Panes before the window whose input rules still look back at."""
        return self._forgotten

    def restore_forgotten(self, panes: list[Pane]) -> None:
        """Put such panes back."""
        self._forgotten = panes

    def mark(self, pane: int, keys: Keys) -> None:
        """Say that something changed for some keys in a pane."""
        super().mark(pane, keys)
        if self.deadlines is not None and len(keys) and keys.listed[0] != EVERYWHERE:
            self._marked.append(keys)

    def distinct_columns(self, kind: str, symbol: Symbol, part: Part) -> tuple[Ints, ...]:
        """The columns of a table, each row once however many keys it has."""
        return self._columns(Section(kind, symbol), part)

    def look_ahead(self, symbol: Symbol, part: Part, now: int) -> None:
        """Remember when something of an input fluent begins or ends that is known before its time."""
        for place in (1, 2):
            times = part.columns[width(symbol) + place]
            rows = np.flatnonzero((times >= now) & (times < FOREVER))
            if len(rows):
                self.coming.add(times[rows], part.key[rows])

    def wake(self, now: int) -> None:
        """Have those keys worked out for which time alone may make a difference."""
        known = self.coming.due(now)
        if len(known):
            self.mark(len(self.panes) - 1, Keys(in_order(known)))
        if self.deadlines is not None:
            due = self.deadlines.due(now)
            if len(due):
                self.panes[-1].dirty.append(Keys(in_order(due)))

    def work(self, begins: Sequence[int], now: int, origin: int) -> Iterator[tuple[int, Tables, Tables]]:
        """Work out all that changed, pane by pane: what later stages read of it, as it was and as it is."""
        active: Keys | None = NO_KEYS
        self.worked = NO_KEYS
        for number, pane in enumerate(self.panes):
            is_last = number + 1 == len(self.panes)
            active = self._active(active, pane, is_restless=is_last and self._is_restless)
            if active is not None and not len(active):
                continue
            self.worked = None if active is None or self.worked is None else self.worked.and_those(active)
            end = now if is_last else begins[number + 1]
            evaluation = self._evaluation(number, active, Moment(pane.begin - 1, end, origin, end - 1))
            layer = self._layer(evaluation, active)
            if self.read_later:
                yield number, *self._told(pane, layer)
            changed: Keys | None = NO_KEYS
            if not is_last:
                changed = changed_keys(pane.layers.after(active), layer.after)
                changed = None if len(changed) and changed.listed[0] == EVERYWHERE else changed
            elif self.deadlines is not None:
                self.deadlines.plan(evaluation.next_border, now, self._moved(pane, layer))
            pane.layers.lay(layer)
            if active is None:
                self.keys = self._keys_in(pane, layer)
            active = changed

    def _keys_in(self, pane: Pane, layer: Layer) -> int:
        """How many keys there are of which anything is known at the end of a pane."""
        tables = [part.key for tables in (layer.results, layer.after) for part in tables.values()]
        tables += [part.key for runs in pane.input.values() for part in runs]
        return len(in_order(np.concatenate([EMPTY, *map(in_order, tables)])))

    def _active(self, active: Keys | None, pane: Pane, *, is_restless: bool) -> Keys | None:
        if pane.is_all_dirty or is_restless:
            active = None
        elif pane.dirty and active is not None:
            active = active.and_those(*pane.dirty)
        pane.dirty, pane.is_all_dirty = [], False
        return None if active is None or len(active) > _MOST * self.keys else active

    def _told(self, pane: Pane, layer: Layer) -> tuple[Tables, Tables]:
        """What later stages read of keys of which something else is said now, as it was and as it is."""
        old = pane.layers.results(layer.cover, self._is_read_later)
        new = {section: part for section, part in layer.results.items() if self._is_read_later(section)}
        changed = changed_keys(old, new)
        found = [{s: part.where(changed.has(part.key)) for s, part in tables.items()} for tables in (old, new)]
        return found[0], found[1]

    def _moved(self, pane: Pane, layer: Layer) -> Ints:
        """The keys of the last pane to which something happened."""
        marked, self._marked = self._marked, []
        changed = changed_keys(pane.layers.results(layer.cover), layer.results)
        moved = NO_KEYS.and_those(*marked, changed).listed if marked else changed.listed
        return moved if len(moved) else EMPTY

    def let_go(self, begin: int) -> None:
        """Drop panes before the one that begins at a time-point, here and of what earlier stages have told."""
        self.forget(begin)
        for source in self.earlier.values():
            source.let_go(begin)

    def open_pane(self, begin: int) -> None:
        """Begin a new pane, here and for what earlier stages will tell."""
        self.roll(begin)
        for source in self.earlier.values():
            source.panes.append(Pane(begin))
