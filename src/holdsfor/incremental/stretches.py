"""One stage of a calm program: keys are worked out from where something changed for them, all in one go.

What was worked out stays in chunks, one for each query, and so does the state of every key at the query times that worked
on it. A key to which nothing happened is not looked at; one that something happened to goes on from the last state that
it had before.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.compiler.plan import Plan
from holdsfor.engine.evaluation import Moment, width
from holdsfor.engine.frames import Codes
from holdsfor.engine.kernels import EMPTY, Bools, Ints
from holdsfor.engine.prepared import Prepared
from holdsfor.engine.profile import Profile
from holdsfor.engine.state import Border
from holdsfor.engine.step import evaluate
from holdsfor.engine.tables import Events, Intervals, Points, no_intervals
from holdsfor.incremental.chunks import Chunk, Chunks, Table, stacked
from holdsfor.incremental.cuts import Cuts, Made
from holdsfor.incremental.entries import DEAD, Begins, Entries, Resumed, Status, Unfinished
from holdsfor.incremental.readings import Keyed, Values, changed_rows
from holdsfor.incremental.rows import event_columns, in_engine_order, interval_columns, rows_until
from holdsfor.incremental.sections import Section, Sections
from holdsfor.incremental.slots import Slots
from holdsfor.incremental.stretch import Spreadings, Stretch
from holdsfor.incremental.taken import Clock, Taken
from holdsfor.ir import DelayRule, EffectKind
from holdsfor.spreading.stages import Stage


@dataclass(frozen=True)
class News:
    """Rows of a stage that came or went, and from when on the key of each may have changed."""

    section: Section
    columns: Table
    times: Ints


class StageStretches:
    """A stage, and what is known of its keys. `earlier` are the stages before it, by number."""

    def __init__(
        self, stage: Stage, prepared: Prepared, earlier: dict[int, StageStretches], profile: Profile | None = None
    ) -> None:
        self.prepared, self._profile = prepared, profile
        self.places = dict(stage.members)
        self.reads = {delivery.symbol: delivery for delivery in stage.deliveries}
        self.spreading: Spreadings = dict(self.places)
        for symbol, delivery in self.reads.items():
            if delivery.spreading is not None and len(delivery.spreading) == 1:
                self.spreading[symbol] = delivery.spreading[0]
        self.sections = Sections(prepared, {symbol: (places,) for symbol, places in self.spreading.items()})
        self._given = {
            symbol: earlier[delivery.made_in]
            for symbol, delivery in self.reads.items()
            # What comes later can only be asked for values that it never has.
            if delivery.made_in is not None and delivery.made_in < stage.number
        }
        self._read_later: set[Section] = set()
        for symbol, source in self._given.items():
            kinds = ["table"] if symbol.kind is EntityKind.FLUENT else ["happened"]
            source._read_later |= {Section(kind, symbol) for kind in kinds}
            source._read_later |= {Section("effects", symbol, effect) for effect in self.reads[symbol].effects}
        self._by_value = {
            symbol: self.reads[symbol].matches[0].place for symbol in self._given if symbol not in self.spreading
        }
        self.slots = Slots(prepared.dictionary, len(next(iter(self.places.values()))))
        self.entries = Entries()
        self.results, self._states = Chunks(), Chunks()
        self.taken = Taken(self.slots, self.spreading)
        self._trying: Ints = EMPTY
        """Keys with delayed effects under way."""
        self._delayed = [symbol for symbol in self.places if symbol in _triggers(prepared.plan)]
        self.worked_on = 0
        self.evaluations = 0

    # Input

    def resume(self, border: Border, begin: int) -> None:
        """Begin with a state. What holds there has not been told yet."""
        found = [
            (Section(kind, symbol, effect), columns, self._slots_of(symbol, columns))
            for kind, symbol, columns, effect in self.sections.state_columns(border)
            if symbol in self.places
        ]
        keys = np.unique(np.concatenate([EMPTY, *(slots for _, _, slots in found)]))
        self._make_room()
        entry = np.full(len(self.slots) + 1, -1)
        entry[keys] = self.entries.add(keys, np.full(len(keys), -1), begin)
        self.taken.begin(keys, begin)
        for section, columns, slots in found:
            self._states.add(section, Chunk(entry[slots], columns, np.zeros(len(slots), np.int8)), self._is_alive)
            if section.kind == "attempt":
                self._trying = np.unique(np.concatenate((self._trying, slots)))

    def _slots_of(self, symbol: Symbol, columns: Table) -> Ints:
        return self.slots.given(columns, self.spreading[symbol], len(columns[-1]))

    def _make_room(self) -> None:
        self.entries.make_room(len(self.slots))

    # Work

    def run(self, clock: Clock) -> list[News]:
        """Work out all that changed; what came or went of what later stages read."""
        keys, times = self.taken.changed(clock, self._trying)
        if not len(keys):
            return []
        self._make_room()
        before = self.entries.status.copy()
        found = self.entries.resume(keys, times)
        gone = {section: self._gone(section, before) for section in self._read_later}
        begins = Begins(keys, self.entries.begins(found.entries, clock.floor), len(self.slots))
        evaluation = self._evaluation(keys, found.entries, begins, clock.now, clock)
        cuts = self._cuts(evaluation, found)
        made = self._made(keys, found.entries, cuts, clock.now)
        came = self._keep(evaluation, made)
        since, count = Begins(keys, times, len(self.slots)), len(self.slots)
        return [
            News(section, columns, since.of(slots))
            for section in self._read_later
            for slots, columns in changed_rows(section, (gone[section], came[section]), count, clock.previous)
        ]

    def _gone(self, section: Section, before: Status) -> Keyed:
        """The rows of a table that counted before, and do not any more."""
        is_touched = before != self.entries.status
        found = self.results.select(
            section, lambda chunk: is_touched[chunk.entry] & chunk.counts(before) & ~chunk.counts(self.entries.status)
        )
        return _NOTHING if found is None else self._with_slots(section.symbol, found)

    def _with_slots(self, symbol: Symbol, columns: Table) -> Keyed:
        return self.slots.of(columns, self.spreading[symbol], len(columns[-1])), columns

    def _cuts(self, evaluation: Stretch, found: Resumed) -> Cuts:
        """Time-points at which keys have been worked out before, and of which their state is known from their intervals."""
        cuts = Cuts(found.keys, found.times, len(self.slots))
        for symbol in self._delayed:
            # What is under way is not told by intervals.
            slots, columns = self._with_slots(symbol, interval_columns(evaluation.held[symbol]))
            cuts = cuts.without(cuts.inside(slots, columns[-2] - 1, columns[-1])[1])
        return cuts

    def _made(self, keys: Ints, before: Ints, cuts: Cuts, now: int) -> Made:
        """Entries for keys at cuts and at a query time."""
        first = np.full(len(self.slots) + 2, -1)
        first[keys] = before
        between = self.entries.add_between(cuts.earlier(first, len(self.entries)), cuts.times)
        first[cuts.keys] = between
        made = self.entries.add(keys, first[keys], now)
        first[keys] = made
        return Made(first, cuts, between)

    def _counts(self, chunk: Chunk) -> Bools:
        """Which rows of results count, and will."""
        return chunk.counts(self.entries.status) & (chunk.columns[-1] >= self.taken.floor)

    def _is_alive(self, chunk: Chunk) -> Bools:
        """Which rows of states are of entries that count."""
        return np.asarray(self.entries.status[chunk.entry] != DEAD)

    def _keep(self, evaluation: Stretch, made: Made) -> dict[Section, Keyed]:
        """Keep what was worked out, and the states after it; what of it is new and read by others."""
        now, told = evaluation.moment.now, dict.fromkeys(self._read_later, _NOTHING)
        for section, columns, is_over in self._told(evaluation, now):
            slots = self.slots.of(columns, self.spreading[section.symbol], len(columns[-1]))
            # What ends with an entry is told by it, what happens right then by the next.
            entry, is_cut = made.of(slots, columns[-1] if section.kind == "table" else columns[-1] + 1)
            self.results.add(section, Chunk(entry, columns, (is_over | is_cut).view(np.int8)), self._counts)
            if section in told:
                told[section] = slots, columns
        self._keep_states(evaluation, made)
        return told

    def _keep_states(self, evaluation: Stretch, made: Made) -> None:
        self._keep_state(evaluation.next_border, made.latest)
        for symbol, table in evaluation.held.items() if len(made.cuts) else ():
            slots, columns = self._with_slots(symbol, interval_columns(table))
            # Simple fluents by the value that they have after the border, others by having held there.
            shift = 0 if self.sections.is_simple(symbol) else 1
            rows, at = made.cuts.inside(slots, columns[-2] + shift, columns[-1] + shift)
            columns = tuple(column[rows] for column in columns[:-1])
            chunk = Chunk(made.between[at], columns, np.zeros(len(rows), np.int8))
            self._states.add(Section("holding", symbol), chunk, self._is_alive)

    def _keep_state(self, border: Border, entry: Ints) -> None:
        trying = [self._trying[entry[self._trying] < 0]]
        for kind, symbol, columns, effect in self.sections.state_columns(border):
            if symbol in self.places:
                slots = self.slots.of(columns, self.spreading[symbol], len(columns[-1]))
                chunk = Chunk(entry[slots], columns, np.zeros(len(slots), np.int8))
                self._states.add(Section(kind, symbol, effect), chunk, self._is_alive)
                if kind == "attempt":
                    trying.append(slots)
        self._trying = np.unique(np.concatenate(trying))

    def _told(self, evaluation: Stretch, now: int) -> Iterator[tuple[Section, Table, Bools]]:
        """The tables of what was worked out after keys begin, and what of it is over for good."""
        for kind, symbol, columns, effect in self._columns(evaluation):
            section, arity = Section(kind, symbol, effect), width(symbol)
            if kind == "table":
                rows = evaluation.is_new(symbol, columns[:arity], columns[-1])
            else:
                begins = evaluation.begins(symbol, columns[:arity], len(columns[-1]))
                rows = np.flatnonzero(columns[-1] >= begins)
            found = columns if len(rows) == len(columns[-1]) else tuple(column[rows] for column in columns)
            yield section, found, found[-1] <= now if kind == "table" else found[-1] < now

    def _columns(self, evaluation: Stretch) -> Iterator[tuple[str, Symbol, Table, EffectKind | None]]:
        dictionary = self.prepared.dictionary
        for symbol in self.places:
            if symbol.kind is EntityKind.EVENT:
                yield "happened", symbol, event_columns(evaluation.derived[symbol], dictionary), None
                continue
            table = evaluation.fluents[symbol]
            yield "table", symbol, interval_columns(table), None
            for effect in EffectKind:
                if Section("effects", symbol, effect) in self._read_later:
                    points = evaluation.points.get((symbol, effect))
                    if points is not None:
                        yield "effects", symbol, (*points.args, points.value, points.time), effect
        for symbol, broken in evaluation.broken:
            yield "conflict", symbol, broken, None

    # One evaluation

    def _evaluation(self, keys: Ints, found: Ints, begins: Begins, until: int, clock: Clock) -> Stretch:
        """Work out keys from when they begin up to a time-point."""
        first = int(begins.of(keys).min())
        moment = Moment(first - 1, until, clock.origin, until - 1)
        inputs, state = self.taken.inputs(begins, until, is_now=until == clock.now), self.state(found)
        evaluation = Stretch(
            self.prepared, moment, inputs, state, begins=begins, slots=self.slots, spreading=self.spreading
        )
        self._fill(evaluation, begins, until)
        evaluate(evaluation, self._profile)
        self.evaluations += 1
        self.worked_on += sum(len(table) for table in inputs.events.values())
        return evaluation

    def state(self, found: Ints) -> Border:
        """The state of some entries."""
        border = Border()
        wanted = np.zeros(len(self.entries) + 1, np.bool_)
        wanted[found] = True
        wanted[-1] = False
        for section in self._states.sections():
            columns = self._states.select(section, lambda chunk: wanted[chunk.entry])
            if columns is not None:
                wide = width(section.symbol)
                columns = in_engine_order(columns, wide)
                self.sections.add_to_state(border, section, columns[:wide], columns[wide:])
        return border

    def _fill(self, evaluation: Stretch, begins: Begins, until: int) -> None:
        """Publish what earlier stages have worked out, as if they had just done so."""
        values = (
            Values.of(evaluation.inputs, self.sections.state_columns(evaluation.border)) if self._by_value else None
        )
        for symbol, source in self._given.items():

            def chosen(chunk: Chunk, symbol: Symbol = symbol) -> Bools:
                return self._is_read(symbol, chunk.columns, begins, values)

            status = source.entries.status

            if symbol.kind is EntityKind.EVENT:
                happened = source.results.select(Section("happened", symbol), chosen, status)
                if happened is not None:
                    *args, time = rows_until(happened, until)
                    evaluation.derived[symbol] = Events(tuple(map(Codes, args)), time)
                continue
            wide, is_simple = width(symbol), self.sections.is_simple(symbol)
            given = no_intervals(wide, single_valued=is_simple)
            table = source.results.select(Section("table", symbol), chosen, status)
            if table is not None:
                columns = in_engine_order(table, wide, is_simple=is_simple)
                value, start, end = columns[wide:]
                given = Intervals(columns[:wide], value, start, end, is_simple)
            evaluation.give_fluent(symbol, given)
            for effect in self.reads[symbol].effects:
                points = source.results.select(Section("effects", symbol, effect), chosen, status)
                if points is not None:
                    points = rows_until(points, until)
                    evaluation.set_points(symbol, effect, Points(points[:wide], points[wide], points[wide + 1]))

    def _is_read(self, symbol: Symbol, columns: Table, begins: Begins, values: Values | None) -> Bools:
        """Which rows of an earlier stage keys read after they begin."""
        place = self._by_value.get(symbol)
        if place is not None:
            assert values is not None
            return values.has(columns[place])
        slots = self.slots.of(columns, self.spreading[symbol], len(columns[-1]))
        return columns[-1] >= begins.of(slots)

    def take_note(self, news: News) -> None:
        """An earlier stage says something else than before."""
        symbol = news.section.symbol
        if symbol in self._by_value:
            values = news.columns[self._by_value[symbol]]
            self.taken.mark_values(values, news.times, self.slots.codes, self._held())
        elif symbol in self._given:
            self.taken.mark(symbol, news.columns, news.times)

    def _held(self) -> Iterator[tuple[Ints, Table]]:
        """The keys and arguments of all that was ever held."""
        for section, chunks in self._states.items():
            for chunk in chunks:
                alive = chunk.where(self._is_alive(chunk))
                args = alive.columns[: width(section.symbol)]
                yield self.slots.of(args, self.spreading[section.symbol], len(alive)), args

    # Letting go

    def settle(self, clock: Clock, floor: int) -> None:
        """Have the state of every key at a time-point, before which nothing will change any more."""
        open_keys = self.entries.unfinished(floor)
        begins = Begins(open_keys.keys, self.entries.begins(open_keys.before, clock.floor), len(self.slots))
        rows = np.flatnonzero(self._is_moved(open_keys, begins, floor))
        open_keys = Unfinished(open_keys.keys[rows], open_keys.before[rows], open_keys.after[rows])
        if len(rows):
            begins = Begins(open_keys.keys, begins.of(open_keys.keys), len(self.slots))
            trying, self._trying = self._trying, EMPTY
            evaluation = self._evaluation(open_keys.keys, open_keys.before, begins, floor, clock)
            entry = np.full(len(self.slots) + 2, -1)
            entry[open_keys.keys] = self.entries.insert(open_keys, floor)
            self._keep_state(evaluation.next_border, entry)
            self._trying = trying

    def state_at(self, time: int, clock: Clock) -> Border:
        """The state of all keys at a time-point that all have been settled at.

        That of a key to which nothing happened since an earlier time is not the same now: what began right then holds.
        """
        keys = self.entries.known
        found = self.entries.at(keys, time)
        begins = self.entries.begins(found, clock.floor)
        early = np.flatnonzero(begins < time)
        states = [self.state(found[begins >= time])]
        if len(early):
            since = Begins(keys[early], begins[early], len(self.slots))
            states.append(self._evaluation(keys[early], found[early], since, time, clock).next_border)
        tables: dict[Section, list[Table]] = {}
        for state in states:
            for kind, symbol, columns, effect in self.sections.state_columns(state):
                if symbol in self.places:
                    tables.setdefault(Section(kind, symbol, effect), []).append(columns)
        border = Border()
        for section, parts in tables.items():
            columns, wide = in_engine_order(stacked(parts), width(section.symbol)), width(section.symbol)
            self.sections.add_to_state(border, section, columns[:wide], columns[wide:])
        return border

    def _is_moved(self, found: Unfinished, begins: Begins, floor: int) -> Bools:
        """For which keys something may have happened between an entry and a time-point."""
        if self._given or self.taken.reports:
            return np.ones(len(found.keys), np.bool_)
        moved = self.taken.is_moved(begins, floor)
        trying = np.zeros(len(self.entries) + 1, np.bool_)
        for section, chunks in self._states.items():
            if section.kind == "attempt":
                for chunk in chunks:
                    trying[chunk.entry] = True
        return moved[found.keys] | trying[found.before]

    def forget(self, floor: int) -> None:
        """Let go of what is over before a time-point at which the state of every key is known: some now, some later on,
        when it would have to be copied.
        """
        self.taken.forget(floor)
        if self.entries.is_mostly_dead:
            status = self.entries.status
            stay, number = self.entries.compact()
            self.results.compact(stay, number, lambda chunk: chunk.counts(status))
            self._states.compact(stay, number, lambda chunk: np.ones(len(chunk), np.bool_))


_NOTHING: Keyed = EMPTY, (EMPTY, EMPTY)


def _triggers(plan: Plan) -> frozenset[Symbol]:
    """The fluents that have delayed effects."""
    rules = (rule for stratum in plan.strata for rule in stratum.rules)
    return frozenset(plan.analysis.entities.fluent(r.trigger) for r in rules if isinstance(r, DelayRule))
