"""One evaluation: every stratum of a plan over one window, from the border state to the tables of results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache, cached_property

import numpy as np

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.analysis.entities import EntityKind, Role, Symbol
from holdsfor.compiler.analysis.variants import NotSupported
from holdsfor.engine.asked import AskedPair
from holdsfor.engine.bodies import Bodies
from holdsfor.engine.carrying import carried_on, first_unsettled, holding_before, places
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.domains import Domains
from holdsfor.engine.expressions import codes_of, column_of
from holdsfor.engine.frames import UNIT, Codes, Column, Frame, Numbers
from holdsfor.engine.inputs import stacked_events
from holdsfor.engine.kernels import EMPTY, Bools, Ints, Spans, true_rows
from holdsfor.engine.leaves import Leaves
from holdsfor.engine.patterns import relation
from holdsfor.engine.points import distinct_points, stacked_points
from holdsfor.engine.prefixes import NOT_SHARED
from holdsfor.engine.prepared import Prepared
from holdsfor.engine.relations import Lookup
from holdsfor.engine.state import Border, Settled
from holdsfor.engine.tables import FOREVER, Events, Intervals, Points, Space, merged, no_intervals
from holdsfor.ir import INITIAL, Call, Edge, EffectKind, EffectRule, EventRule, Fvp, InitiallyRule
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.logic.unify import Bindings
from holdsfor.syntax.terms import Compound, Term, Var


@dataclass
class Moment:
    """The time an evaluation is about: it sees (border, now], and everything began at `origin`.

    Its answer is about the time after `low`.
    """

    border: int
    now: int
    origin: int
    next_border: int
    low: int = -int(FOREVER)


@dataclass
class Inputs:
    """The stream inside the window: events, and input fluents as maximal intervals with their cut starts."""

    events: dict[Symbol, Events] = field(default_factory=dict)
    intervals: dict[Symbol, Intervals] = field(default_factory=dict)
    is_cut: dict[Symbol, Bools] = field(default_factory=dict)


_MOST_ROOM = 1 << 60
"""Time-points that operators may move an end by; farther off, times and groups do not fit into one integer."""


class Evaluation:
    """The tables of one evaluation, filled stratum by stratum."""

    def __init__(self, prepared: Prepared, moment: Moment, inputs: Inputs, border: Border) -> None:
        self.prepared = prepared
        self.notes = prepared.notes
        self.plan = prepared.plan
        self.analysis: Analysis = prepared.analysis
        self.entities = prepared.analysis.entities
        self.dictionary: Dictionary = prepared.dictionary
        self.kept = prepared.kept
        self.moment = moment
        self.inputs = inputs
        self.border = border
        self.next_border = Border()
        self.fluents: dict[Symbol, Intervals] = {}
        self.derived: dict[Symbol, Events] = {}
        self.points: dict[tuple[Symbol, EffectKind], Points] = {}
        self.scheduled: dict[Symbol, list[Points]] = {}
        self.instances: dict[Symbol, Points] = {}
        self.conflict_times: list[Ints] = []
        # Where work is spread, an instance may be worked out in several places, and is counted in one of them.
        self.owns: Callable[[Symbol, list[Ints], int], Bools] | None = None
        # Those that no earlier query time has counted; filled in at the end.
        self.conflicts = 0
        self._unheld: dict[Symbol, Intervals] = {}
        # The packed lists of rules whose parts line up with their heads, and how they are packed.
        self.aligned: dict[Symbol, tuple[Space, dict[str, Spans]]] = {}
        self.leaves = Leaves(self.intervals, self.dictionary)
        self._shared: dict[int, Frame] = {}
        self.bodies = Bodies(self)
        self._space: Space | None = None
        self._room = (moment.now, moment.now)
        self._events: dict[Symbol, tuple[Events | None, Events]] = {}
        self.wanted: dict[Symbol, Bools] = {}
        self._is_cut: dict[Symbol, Bools] = {}
        for symbol in prepared.notes.input_fluents:
            table = inputs.intervals.get(symbol)
            if table is None:
                self.fluents[symbol] = no_intervals(width(symbol), single_valued=False)
                continue
            rows = self._declared(symbol, table)
            self.fluents[symbol] = table if rows is None else table.take(rows)
            if symbol in inputs.is_cut:
                self._is_cut[symbol] = inputs.is_cut[symbol] if rows is None else inputs.is_cut[symbol][rows]

    @property
    def space(self) -> Space:
        """Room for every code so far and every time of the window; made anew when codes are added."""
        space = self._space
        if space is None or len(self.dictionary) > 1 << space.code_bits:
            first, last = self._time_range()
            space = self._space = Space.over(len(self.dictionary) + 1, first, last)
        return space

    def make_room(self, first: int, last: int) -> None:
        """Make the space large enough for times that a program works out itself."""
        low, high = self._room
        if first < low or last > high:
            self._room = min(first, low), max(last, high)
            found = self._time_range()
            space = self._space
            if space is None or found[0] < space.base + 2 or found[1] - space.base + 3 > space.last:
                self._space = None

    def _time_range(self) -> tuple[int, int]:
        first, last = min(self.moment.border, self.moment.origin) - 1, self.moment.now + 1
        first, last = min(first, self._room[0]), max(last, self._room[1])
        # Fluents that are there already were worked out elsewhere, perhaps from input that has not come here.
        tables = {id(table): table for table in (*self.fluents.values(), *self.inputs.intervals.values())}
        for table in tables.values():
            first, last = table.reach(first, last)
        since = self.border.earliest()
        later, earlier = self.kept.room
        if later + earlier > _MOST_ROOM:
            raise EvaluationError(f"metric operators look {max(later, earlier)} time-points away: that is too far")
        return (min(first, since) if since is not None else first) - earlier, last + later

    # What bodies ask

    def events(self, symbol: Symbol) -> Events:
        """The occurrences of an event, input and derived, in order of first argument and time."""
        derived = self.derived.get(symbol)
        known = self._events.get(symbol)
        if known is not None and known[0] is derived:
            return known[1]
        earlier = self.border.derived.get(symbol)
        found = [table for table in (self.inputs.events.get(symbol), earlier, derived) if table is not None]
        if not found:
            return Events((Codes(EMPTY),) * width(symbol), EMPTY)
        table = stacked_events(found, self.dictionary)
        table = (table.distinct() if symbol in self.notes.counted else table).in_order()
        self._events[symbol] = derived, table
        return table

    def intervals(self, symbol: Symbol) -> Intervals:
        """The maximal intervals of a fluent; one that is not worked out yet can only be asked for values it never has."""
        found = self.fluents.get(symbol)
        return found if found is not None else no_intervals(width(symbol), single_valued=False)

    def boundaries(self, symbol: Symbol, edge: Edge) -> Points:
        """Where intervals start or end inside the window."""
        table = self.intervals(symbol)
        time = (table.start if edge is Edge.START else table.end) - 1
        inside = (time > self.moment.border - self.kept.reach.get(symbol, 0)) & (time <= self.moment.now)
        if edge is Edge.START:
            if symbol in self._is_cut:
                inside &= ~self._is_cut[symbol]
            inside[self._there_at_first(symbol, table)] = False
        rows = true_rows(inside)
        return Points(tuple(column[rows] for column in table.args), table.value[rows], time[rows])

    def _there_at_first(self, symbol: Symbol, table: Intervals) -> Ints:
        """The intervals that begin at 0 without a start event: only what a rule initiates starts there."""
        rows = true_rows(table.start == INITIAL + 1)
        if not len(rows) or self.notes.roles[symbol] is not Role.SIMPLE_FLUENT:
            return rows
        first = self.initial_pairs(symbol)
        wanted = (*(column[rows] for column in table.args), table.value[rows])
        return rows[places(wanted, (*first.args, first.value)) >= 0]

    def effects(self, symbol: Symbol, kind: EffectKind) -> Points:
        """Where values are initiated or terminated inside the window, and as far back as a rule looks."""
        if kind is EffectKind.TERMINATED and symbol in self.notes.openly_ended:
            raise NotSupported(
                f"terminatedAt as a condition on {symbol}, which a rule ends for all its instances at once"
            )
        found = [
            points for points in (self.border.points.get((symbol, kind)), self.points.get((symbol, kind))) if points
        ]
        points = stacked_points(width(symbol), found)
        return distinct_points(points) if symbol in self.notes.counted else points

    def set_points(self, symbol: Symbol, kind: EffectKind, points: Points) -> None:
        """Publish the points at which values are initiated or terminated."""
        self.points[symbol, kind] = points
        far = self.kept.reach.get(symbol)
        if far is not None and not (kind is EffectKind.TERMINATED and symbol in self.notes.openly_ended):
            earlier = self.effects(symbol, kind)
            border = self.moment.next_border
            self.next_border.points[symbol, kind] = earlier.take(
                true_rows((earlier.time <= border) & (earlier.time > border - far))
            )

    def want(self, symbol: Symbol, rows: Ints) -> None:
        """Mark rows of a fluent's table that must be kept, ended or not."""
        if symbol not in self.wanted:
            self.wanted[symbol] = np.zeros(len(self.intervals(symbol)), np.bool_)
        self.wanted[symbol][rows] = True

    def keep_past(self) -> None:
        """Keep the ended intervals that are still needed, once every stratum has been worked out."""
        for symbol, table in self.fluents.items():
            role = self.notes.roles[symbol]
            if role is Role.INPUT_FLUENT or symbol in self.kept.derivable or not self.kept.keeps_past(symbol):
                continue
            border = self.moment.next_border
            if role.is_made_of_intervals:
                first = self._certain(symbol, border)
                ended = table.end < first_unsettled(table, self.next_border.settled.get(symbol), first)
            else:
                ended = table.end <= border + 1
            rows = true_rows(ended & self.is_needed(symbol, table))
            if len(rows):
                self.next_border.past[symbol] = table.take(rows)
        for symbol, kind in self.border.points.keys() - self.points.keys():
            # Worked out elsewhere, where there was nothing new to say of them.
            self.set_points(symbol, kind, stacked_points(width(symbol), []))
        self._keep_derived()

    def is_needed(self, symbol: Symbol, table: Intervals) -> Bools:
        """Which ended intervals of a fluent are still needed."""
        if symbol in self.kept.whole:
            return np.ones(len(table), np.bool_)
        needed = table.end > self.moment.next_border + 1 - self.kept.span(symbol)
        return needed | self.wanted[symbol] if symbol in self.wanted else needed

    def _keep_derived(self) -> None:
        """Keep the derived events that rules still look back at."""
        border = self.moment.next_border
        for symbol, far in self.kept.reach.items():
            found = [events.get(symbol) for events in (self.border.derived, self.derived)]
            known = [events for events in found if events is not None]
            if known:
                self.next_border.derived[symbol] = stacked_events(known, self.dictionary).between(border - far, border)

    def add_conflicts(self, times: Ints, symbol: Symbol | None = None, args: tuple[Ints, ...] = ()) -> None:
        """Count initiations that were broken at their own time-point; of known instances, those that count here."""
        counted = times > self.moment.border
        if self.owns is not None and symbol is not None:
            counted &= self.owns(symbol, list(args), len(times))
        self.conflict_times.append(times[counted])

    def rows_with(self, asked: AskedPair) -> Ints | None:
        """The rows of a fluent's table that have the constants a condition names; None is all."""
        return self.leaves.rows_with(asked)

    def lookup(self, literal: Call) -> Lookup:
        """The facts of a background predicate that a condition matches."""
        is_filled = self.analysis.background.depends_on_input(literal.atom)
        return self.domains.lookup(literal) if is_filled else self.prepared.lookup(literal)

    def is_table(self, name: tuple[str, int]) -> bool:
        """Whether all that is known of a background predicate can be listed."""
        return self.analysis.background.is_table(name)

    def answers(self, atom: Term, bindings: Bindings) -> Iterator[Bindings]:
        """The answers of one call of a background predicate."""
        is_filled = self.analysis.background.depends_on_input(atom)
        return (self.domains.solver if is_filled else self.prepared.solver).call(atom, bindings)

    @cached_property
    def domains(self) -> Domains:
        """What the records in sight put into domains, and all that follows from it."""
        return Domains(self.prepared, self.inputs.events, self.inputs.intervals)

    def known_instances(self, symbol: Symbol) -> Points:
        """The pairs of a fluent that have been initiated: those there may be something to end of."""
        return self.instances[symbol]

    def set_fluent(self, symbol: Symbol, table: Intervals) -> None:
        """Publish the intervals of a fluent, and keep of them what the next window must know."""
        if symbol in self.kept.derivable:
            self.fluents[symbol] = self.narrowed(symbol, table)
            return
        if not self.notes.roles[symbol].is_made_of_intervals:
            # A simple fluent is carried on by the value it has after the border, any other one by having held at the
            # border: only that tells whether an interval there goes on or begins.
            self._hold(symbol, table, np.full(len(table), self.moment.next_border + 2))
        else:
            table = self.carried(symbol, table)
            if symbol in self.kept.unsettled:
                self._unheld[symbol] = table
            else:
                self._hold(symbol, table, np.full(len(table), self.moment.next_border + 1))
        self.fluents[symbol] = self._with_past(symbol, self.narrowed(symbol, table))

    def carried(self, symbol: Symbol, table: Intervals) -> Intervals:
        """Intervals of a statically determined fluent, joined to what held before the border."""
        if self.moment.border < self.moment.origin:
            return table
        held, settled = self.border.holding.get(symbol), self.border.settled.get(symbol)
        return carried_on(table, held, settled, self._certain(symbol, self.moment.border))

    def give_fluent(self, symbol: Symbol, table: Intervals, settled: Settled | None = None) -> None:
        """Publish a fluent that was worked out elsewhere, and what was found out there of its unsettled past."""
        if settled is not None:
            self.next_border.settled[symbol] = settled
        if symbol not in self.kept.derivable and self.moment.border >= self.moment.origin:
            certain = self._certain(symbol, self.moment.border)
            first = first_unsettled(table, self.border.settled.get(symbol), certain)
            is_simple = not self.notes.roles[symbol].is_made_of_intervals
            table = table.take(true_rows(table.end >= first + int(is_simple)))
        self.fluents[symbol] = self._with_past(symbol, table)

    def _with_past(self, symbol: Symbol, table: Intervals) -> Intervals:
        past = self.border.past.get(symbol)
        return table if past is None else merged(past, table)

    def settle(self, symbol: Symbol, settled: Settled | None) -> None:
        """Keep what holds right before the past of a fluent becomes unsettled."""
        if settled is not None:
            self.next_border.settled[symbol] = settled
        table = self._unheld.pop(symbol)
        self._hold(symbol, table, first_unsettled(table, settled, self._certain(symbol, self.moment.next_border)))

    def _certain(self, symbol: Symbol, border: int) -> int:
        """The last time-point up to which a fluent is settled at a border, unless an instance is not even so far."""
        return border - self.kept.lag.get(symbol, 0)

    def _hold(self, symbol: Symbol, table: Intervals, first: Ints) -> None:
        held = holding_before(table, first)
        if held is not None:
            self.next_border.holding[symbol] = held

    # Narrowing

    def narrowed(self, symbol: Symbol, table: Intervals) -> Intervals:
        """The pairs of a fluent that are among its groundings, if it has any."""
        rows = self._declared(symbol, table)
        return table if rows is None else table.take(rows)

    def _declared(self, symbol: Symbol, table: Intervals) -> Ints | None:
        """The rows that are among the groundings of a fluent; None is all."""
        declarations = self.entities[symbol].groundings
        if not declarations or not len(table):
            return None
        keep = np.zeros(len(table), np.bool_)
        numbers = Numbers(np.arange(len(table)))
        columns: list[Column] = [*(Codes(column) for column in table.args), Codes(table.value), numbers]
        for declaration in declarations:
            declared = declaration.args[0]
            assert isinstance(declared, Compound)
            terms = (*symbol.columns(declared.args[0]), declared.args[1], Var("#pair"))
            frame = relation(terms, columns, len(table), self.dictionary)
            found = self.bodies.solve(self.notes.body(declaration), frame)
            keep[_integers(found, "#pair")] = True
        return true_rows(keep)

    # Rules

    def is_idle(self, rule: EffectRule | EventRule) -> bool:
        """Whether a rule cannot fire, for something that it asks for is not there at all: in small windows, most."""
        return not all(map(self.occurs, self.notes.needed(rule)))

    def occurs(self, symbol: Symbol) -> bool:
        """Whether an event happens or a fluent holds at all, as far as is known."""
        if symbol.kind is EntityKind.FLUENT:
            table = self.fluents.get(symbol)
            return table is not None and len(table) > 0
        return bool(self.inputs.events.get(symbol) or self.border.derived.get(symbol) or self.derived.get(symbol))

    def rule_frame(self, rule: EffectRule | EventRule) -> Frame:
        """The bindings that make a rule's body true, inside the window; variables have the names of `notes.head`."""
        frame, shared = UNIT, self._shared
        for number, stage in self.notes.path(rule):
            known = shared.get(number)
            if known is None:
                if not frame.rows:
                    break
                known = self.bodies.run(stage, frame)
                if number != NOT_SHARED:
                    shared[number] = known
            frame = known
        if self.kept.reach and frame.rows:
            # What is kept for looking back must not make rules fire again.
            return frame.where(self.notes.head(rule).times(frame) > self.moment.border)
        return frame

    def initial_points(self, symbol: Symbol) -> list[Points]:
        """Initial values, where the time at which they are initiated is inside the window."""
        if not self.moment.border < INITIAL <= self.moment.now:
            return []
        found = self.initial_pairs(symbol)
        return [found] if len(found) else []

    def initial_pairs(self, symbol: Symbol) -> Points:
        """All initial values of a fluent."""
        found = []
        for rule in self.entities[symbol].rules:
            if isinstance(rule, InitiallyRule):
                frame = self.bodies.solve(self.notes.body(rule), UNIT)
                found.append(self.pair_points(symbol, rule.fvp, frame, np.full(frame.rows, INITIAL)))
        return stacked_points(width(symbol), found)

    def pair_points(self, symbol: Symbol, fvp: Fvp, frame: Frame, time: Ints) -> Points:
        """Points at which the pairs of a frame are initiated."""
        terms = (*symbol.columns(fvp.fluent), fvp.value)
        columns = [codes_of(column_of(term, frame, self.dictionary), self.dictionary) for term in terms]
        return Points(tuple(columns[:-1]), columns[-1], time)


def times_of(term: Term, frame: Frame) -> Ints:
    """The time column of a rule."""
    assert isinstance(term, Var)
    return _integers(frame, term.name)


def _integers(frame: Frame, name: str) -> Ints:
    column = frame.columns[name]
    return column.data.astype(np.int64, copy=False) if isinstance(column, Numbers) else EMPTY


@cache
def width(symbol: Symbol) -> int:
    """The number of argument columns of a symbol."""
    return symbol.arity - len(symbol.inner) + sum(arity for _, _, arity in symbol.inner)
