"""One stage through the panes of a window, in columns: input and layers of results in each, and the state after it.

The newest pane is worked out for all keys. Older ones are worked out again for the keys for which something in them has
changed, and only for as long as what they hand to the next pane differs from what was there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.engine.evaluation import Evaluation, Inputs, Moment, width
from holdsfor.engine.frames import Codes
from holdsfor.engine.inputs import seen_intervals
from holdsfor.engine.kernels import EMPTY, Ints
from holdsfor.engine.prepared import Prepared
from holdsfor.engine.profile import Profile
from holdsfor.engine.state import Border, Settled
from holdsfor.engine.step import evaluate
from holdsfor.engine.tables import Events, Intervals, Points, no_intervals
from holdsfor.incremental.keys import keys_of
from holdsfor.incremental.pane import Keyed, Pane
from holdsfor.incremental.parts import (
    NO_KEYS,
    Keys,
    Layer,
    Layers,
    Part,
    Tables,
    changed_keys,
    in_order,
    keys_in,
    owned,
    stacked,
)
from holdsfor.incremental.reports import reports_of
from holdsfor.incremental.rows import is_ordered, is_read, values_in
from holdsfor.incremental.sections import EVERYWHERE, Columns, Section, Sections
from holdsfor.incremental.sequel import Sequel
from holdsfor.ir import EffectKind
from holdsfor.spreading.stages import Delivery, Stage

__all__ = ["Pane", "StagePanes"]

_MOST_RUNS = 4
"""So many runs of occurrences may be in a pane before they become one."""


class StagePanes:
    """A stage and its panes. `earlier` are the stages before it, by number."""

    def __init__(
        self, stage: Stage, prepared: Prepared, earlier: dict[int, StagePanes], profile: Profile | None = None
    ) -> None:
        self.stage, self.prepared, self._profile = stage, prepared, profile
        self.places = dict(stage.members)
        spreading = {delivery.symbol: delivery.spreading for delivery in stage.deliveries}
        spreading |= {symbol: (places,) for symbol, places in stage.members}
        self.sections = Sections(prepared, spreading)
        self.reads: dict[Symbol, Delivery] = {delivery.symbol: delivery for delivery in stage.deliveries}
        self._given = {
            symbol: earlier[delivery.made_in]
            for symbol, delivery in self.reads.items()
            # What comes later can only be asked for values that it never has.
            if delivery.made_in is not None and delivery.made_in < stage.number
        }
        self.read_later: set[Symbol] = set()
        self.effects_read: set[tuple[Symbol, EffectKind]] = set()
        for symbol, source in self._given.items():
            source.read_later.add(symbol)
            source.effects_read |= {(symbol, effect) for effect in self.reads[symbol].effects}
        self._by_value = {symbol: place for symbol in self._given if (place := self._matched(symbol)) is not None}
        self.reports: dict[Symbol, Part] = {}
        self.panes: list[Pane] = []
        self.before = Layers()
        """The state before the first pane."""
        self._forgotten: list[Pane] = []
        reach = prepared.kept.reach
        self.furthest = max((far for symbol, far in reach.items() if symbol in self.reads), default=0)
        self.keys = 0
        """How many keys there are, about."""
        self.worked_on = 0
        self.evaluations = 0

    def _matched(self, symbol: Symbol) -> int | None:
        """The argument by which keys read a symbol that belongs to all of them, if nothing of it has to be kept.

        Every key that reads it has that argument somewhere in its own input or state.
        """
        delivery, kept = self.reads[symbol], self.prepared.kept
        is_kept = kept.keeps_past(symbol) or symbol in kept.unsettled or symbol in kept.derivable
        return None if is_kept or not delivery.matches else delivery.matches[0].place

    # Tables

    def part(self, symbol: Symbol, columns: tuple[Ints, ...]) -> Part:
        """Columns in order of the keys that read them; rows that several keys read are there for each of them."""
        spreading, count = self.sections.spreading[symbol], len(columns[-1])
        if spreading is None:
            return Part(np.full(count, EVERYWHERE), columns)
        if len(spreading) == 1:
            return Part.of(keys_of(columns, spreading[0], count), columns)
        made = stacked([Part(keys_of(columns, places, count), columns) for places in spreading])
        return Part.of(made.key, made.columns)

    def tables(self, found: Iterator[Columns]) -> Tables:
        """Tables as the engine has them."""
        return {
            Section(kind, symbol, effect): self.part(symbol, columns)
            for kind, symbol, columns, effect in found
            if symbol in self.sections.spreading
        }

    def _columns(self, section: Section, part: Part, *, in_order: bool = False) -> tuple[Ints, ...]:
        """The columns of a table, each row once; in the order of the engine if that matters."""
        spreading = self.sections.spreading[section.symbol]
        is_repeated = spreading is not None and len(spreading) > 1
        if not is_repeated and not in_order:
            return part.columns
        wide, columns = width(section.symbol), list(part.columns)
        rest = columns[wide:]
        last = [rest[1], rest[0], *rest[2:]] if len(rest) > 2 and self.sections.is_simple(section.symbol) else rest
        keys = [*columns[:wide], *last]
        if not is_ordered(keys):
            order = np.lexsort(tuple(reversed(keys)))
            columns = [column[order] for column in columns]
        if is_repeated and len(part) > 1:
            fresh = np.ones(len(part), np.bool_)
            fresh[1:] = np.any([column[1:] != column[:-1] for column in columns], axis=0)
            columns = [column[fresh] for column in columns]
        return tuple(columns)

    # Changes

    def mark(self, pane: int, keys: Keys) -> None:
        """Say that something changed for some keys in a pane."""
        if len(keys) and keys.listed[0] == EVERYWHERE:
            self.panes[pane].is_all_dirty = True
        elif len(keys):
            self.panes[pane].dirty.append(keys)

    def run(self, begins: Sequence[int], now: int, origin: int, *, has_moved: bool) -> Iterator[tuple[int, Tables]]:
        """Work out all that changed, pane by pane: rows of what others read that came or went in older panes."""
        active: Keys | None = NO_KEYS
        for number, pane in enumerate(self.panes):
            is_last = number + 1 == len(self.panes)
            if pane.is_all_dirty or (is_last and has_moved):
                active = None
            elif pane.dirty and active is not None:
                active = active.and_those(*pane.dirty)
            pane.dirty, pane.is_all_dirty = [], False
            # What has just been worked out for the first time will change as much as the pane before it.
            pane.share = self._share(active) if not is_last or number == 0 else self.panes[number - 1].share
            if active is not None and not len(active):
                continue
            end = now if is_last else begins[number + 1]
            evaluation = self._evaluation(number, active, Moment(pane.begin - 1, end, origin, end - 1))
            layer = self._layer(evaluation, active)
            has_results = bool(pane.layers.listed) or pane.layers.beneath is not None
            if has_results and self.read_later:
                yield number, self._news(pane, layer)
            changed: Keys | None = NO_KEYS
            if not is_last:
                changed = changed_keys(pane.layers.after(active), layer.after)
                changed = None if len(changed) and changed.listed[0] == EVERYWHERE else changed
            pane.layers.lay(layer)
            if active is None:
                self.keys = keys_in(layer)
            active = changed

    def _share(self, active: Keys | None) -> float:
        return 1.0 if active is None else len(active) / max(1, self.keys)

    def _news(self, pane: Pane, layer: Layer) -> Tables:
        """What later stages read and is not as it was, old rows and new ones."""
        old = pane.layers.results(layer.cover, self._is_read_later)
        new = {section: part for section, part in layer.results.items() if self._is_read_later(section)}
        changed = changed_keys(old, new)
        both: dict[Section, list[Part]] = {}
        for tables in (old, new):
            for section, part in tables.items():
                both.setdefault(section, []).append(part.where(changed.has(part.key)))
        return {section: stacked(parts) for section, parts in both.items()}

    def _is_read_later(self, section: Section) -> bool:
        return section.symbol in self.read_later and section.kind != "conflict"

    def _layer(self, evaluation: Keyed, active: Keys | None) -> Layer:
        results = self.sections.result_columns(evaluation, list(self.places))
        # Points of effects are many, and few rules ask for them.
        found = self.tables(one for one in results if one[3] is None or (one[1], one[3]) in self.effects_read)
        broken: dict[Section, list[Part]] = {}
        for symbol, args, times in evaluation.broken:
            broken.setdefault(Section("conflict", symbol), []).append(self.part(symbol, (*args, times)))
        for section, parts in broken.items():
            together = stacked(parts)
            found[section] = Part.of(together.key, together.columns)
        after = self.tables(self.sections.state_columns(evaluation.next_border))
        return Layer(active, owned(found, active), owned(after, active))

    # One pane

    def _evaluation(self, number: int, active: Keys | None, moment: Moment) -> Keyed:
        keys = None if active is None else active.and_everywhere()
        inputs, state = self._inputs(number, keys, moment), self.state(number, keys)
        evaluation = Keyed(self.prepared, moment, inputs, state)
        values = (
            values_in(inputs, self.sections.state_columns(state)) if keys is not None and self._by_value else NO_KEYS
        )
        self._fill(evaluation, number, keys, values)
        evaluate(evaluation, self._profile)
        self.evaluations += 1
        self.worked_on += sum(len(table) for table in inputs.events.values())
        return evaluation

    def state(self, number: int, keys: Keys | None = None) -> Border:
        """The state before a pane."""
        border = Border()
        layers = self.panes[number - 1].layers if number else self.before
        for section, part in layers.after(keys).items():
            if len(part):
                # Patches lie below what they cover: in order again, the engine has less to do.
                columns, wide = self._columns(section, Part.of(part.key, part.columns)), width(section.symbol)
                self.sections.add_to_state(border, section, columns[:wide], columns[wide:])
        return border

    def _inputs(self, number: int, keys: Keys | None, moment: Moment) -> Inputs:
        inputs = Inputs()
        seen: dict[Symbol, list[Part]] = {}
        panes = [self.panes[number]]
        if self.furthest:
            panes += [*self._forgotten, *self.panes[:number]]
        for pane in panes:
            for symbol, part in ((symbol, part) for symbol, runs in pane.input.items() for part in runs):
                found = part if keys is None else part.at(keys)
                if pane is not panes[0]:
                    far = self.prepared.kept.reach.get(symbol, 0)
                    times = found.columns[-1]
                    found = found.where((times > moment.border - far) & (times < moment.border + 1))
                seen.setdefault(symbol, []).append(found)
        for symbol, parts in seen.items():
            *args, time = self._columns(Section("event", symbol), stacked(parts))
            inputs.events[symbol] = Events(tuple(map(Codes, args)), time)
        is_last = number + 1 == len(self.panes)
        for symbol, part in self.reports.items():
            reports = reports_of((part if keys is None else part.at(keys)).columns)
            needed = np.ones(len(reports), np.bool_) if is_last else reports.start <= moment.now
            if not self.prepared.kept.keeps_past(symbol):
                needed &= reports.end > moment.border
            if needed.any():
                reports = reports.take(np.flatnonzero(needed))
                table, is_cut, _ = seen_intervals(reports, moment.now, len(self.prepared.dictionary))
                inputs.intervals[symbol], inputs.is_cut[symbol] = table, is_cut
        return inputs

    def _fill(self, evaluation: Evaluation, number: int, keys: Keys | None, values: Keys) -> None:
        """Publish what earlier stages have worked out, as if they had just done so."""
        for symbol, source in self._given.items():
            table, settled = None, None
            chosen = values if keys is not None and symbol in self._by_value else keys
            for section, part in self._results_of(symbol, source, number, chosen).items():
                columns = source._columns(section, part, in_order=section.kind == "table")
                args, rest = columns[: width(symbol)], columns[width(symbol) :]
                match section.kind:
                    case "table":
                        value, start, end = rest[:3]
                        table = Intervals(args, value, start, end, self.sections.is_simple(symbol))
                    case "unsettled":
                        settled = Settled(args, rest[0], rest[1])
                    case "effects":
                        assert section.effect is not None
                        evaluation.set_points(symbol, section.effect, Points(args, rest[0], rest[1]))
                    case "happened":
                        evaluation.derived[symbol] = Events(tuple(map(Codes, args)), rest[0])
            if symbol.kind is EntityKind.FLUENT:
                nothing = no_intervals(width(symbol), single_valued=self.sections.is_simple(symbol))
                evaluation.give_fluent(symbol, nothing if table is None else table, settled)

    def _results_of(self, symbol: Symbol, source: StagePanes, number: int, keys: Keys | None) -> Tables:
        """What an earlier stage has found of a symbol in a pane, as far as some keys read it."""
        layers = source.panes[number].layers
        place = self._by_value.get(symbol)
        spreading = self.sections.spreading[symbol] if place is None else ((place,),)

        def is_wanted(section: Section) -> bool:
            return section.symbol == symbol and section.kind != "conflict"

        if keys is None or spreading is None:
            return layers.results(None, is_wanted)
        if spreading == (source.places[symbol],):
            return layers.results(keys, is_wanted)
        found = layers.results(None, is_wanted)
        return {section: part.where(is_read(part, spreading, keys)) for section, part in found.items()}

    def take_note(self, number: int, news: Tables) -> None:
        """An earlier stage says something else of a pane than before."""
        values = NO_KEYS
        for section, part in news.items():
            place = self._by_value.get(section.symbol)
            if place is not None:
                values = values.and_those(Keys(in_order(part.columns[place])))
            elif section.symbol in self._given and len(part):
                self.mark(number, self.part(section.symbol, part.columns).keys)
        if len(values):
            self._mark_values(number, values)

    def _mark_values(self, number: int, values: Keys) -> None:
        """Say that something changed for all keys that have some values in their input or state."""
        layers = self.panes[number - 1].layers if number else self.before
        found = [(section.symbol, part) for section, part in layers.after().items()]
        found += list(self.reports.items())
        found += [(symbol, part) for symbol, runs in self.panes[number].input.items() for part in runs]
        for symbol, part in found:
            chosen = np.zeros(len(part), np.bool_)
            for column in part.columns[: width(symbol)]:
                chosen |= values.has(column)
            self.mark(number, part.where(chosen).keys)

    # Panes

    def roll(self, begin: int) -> None:
        """Begin a new pane; what happens at its first time-point belongs to the one before too."""
        pane = Pane(begin)
        for symbol, runs in self.panes[-1].input.items() if self.panes else ():
            again = [part.where(part.columns[-1] >= begin) for part in runs]
            pane.input[symbol] = [part for part in again if len(part)]
        self.panes.append(pane)

    def forget(self, begin: int) -> None:
        """Let go of panes before the one that begins at a time-point."""
        while self.panes[0].begin < begin:
            gone = self.panes.pop(0)
            self.before = gone.layers
            self._forgotten.append(gone)
        ends = [pane.begin for pane in (*self._forgotten, self.panes[0])][1:]
        kept = begin - 1 - self.furthest
        self._forgotten = [p for p, end in zip(self._forgotten, ends, strict=True) if self.furthest and end > kept]
        for pane in self._forgotten:
            pane.layers = Layers()
        keep = self.prepared.kept
        for symbol, part in self.reports.items():
            if symbol not in keep.whole and symbol not in keep.parts:
                end = part.columns[width(symbol) + 2]
                self.reports[symbol] = part.where(end > begin - 1 - keep.span(symbol))

    def merge(self, number: int) -> None:
        """Make a pane and the next one one pane."""
        one, other = self.panes[number], self.panes.pop(number + 1)
        last = other.begin
        # What happens at the first time-point of a pane is in the one before too.
        panes = [(pane.begin, pane.layers) for pane in (one, other)]
        beneath = [
            layers.beneath.panes if not layers.listed and isinstance(layers.beneath, Sequel) else ((begin, layers),)
            for begin, layers in panes
        ]
        for symbol, runs in other.input.items():
            there = one.input.setdefault(symbol, [])
            there.extend(part.where(part.columns[-1] > last) for part in runs)
            if len(there) > _MOST_RUNS:
                together = stacked(there)
                one.input[symbol] = [Part.of(together.key, together.columns)]
        one.share = min(1.0, one.share + other.share)
        one.layers = Layers((), Sequel((*beneath[0], *beneath[1])))

    def put(self, number: int, symbol: Symbol, part: Part) -> None:
        """Occurrences that are new in a pane."""
        runs = self.panes[number].input.setdefault(symbol, [])
        runs.append(part)
        runs.sort(key=len, reverse=True)
        while len(runs) > 1 and len(runs[-2]) < 2 * len(runs[-1]):
            both = stacked([runs.pop(), runs.pop()])
            runs.append(both.take(np.lexsort((both.columns[-1], both.key))))

    def known_events(self, begin: int) -> dict[Symbol, Part]:
        """All occurrences that matter to what is after a time-point."""
        found: dict[Symbol, list[Part]] = {}
        for number, pane in enumerate((*self._forgotten, *self.panes)):
            for symbol, runs in pane.input.items():
                far = self.prepared.kept.reach.get(symbol, 0)
                # What happens at the first time-point of a pane is in the one before too.
                least = max(begin - 1 - far, pane.begin if number else begin - 1 - far)
                found.setdefault(symbol, []).extend(part.where(part.columns[-1] > least) for part in runs)
        return {
            symbol: Part(EMPTY, self._columns(Section("event", symbol), stacked(parts)))
            for symbol, parts in found.items()
            if parts
        }

    def whole(self) -> Sequel:
        """All panes one after the other, as they are now."""
        return Sequel(tuple((pane.begin, replace(pane.layers)) for pane in self.panes))
