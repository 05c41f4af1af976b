"""One stratum through a slice of time: what its relations hold there, and what that means for later.

Consequences are kept, not causes: an operator that looks back is applied when what it looks at happens, and the part of
the result that lies ahead waits. So nothing is derived twice, nothing old is looked at again, and intervals that overlap
have become one by the time they are counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from holdsfor.compiler.metric.checks.extremes import times_too_far
from holdsfor.compiler.metric.plan import MetricStratum
from holdsfor.compiler.metric.rules import Eroded, Joined, Lasting, Moved, NormalRule, Relation, Scan, sources
from holdsfor.diagnostics import HoldsforError, ProgramError
from holdsfor.engine.dictionary import Dictionary
from holdsfor.engine.metric.facts import Facts, covering, maximal, minus, no_facts
from holdsfor.engine.metric.joins import Body
from holdsfor.engine.metric.lasting import Since
from holdsfor.engine.metric.operators import Offsets, by, eroded, lies_beyond, moved
from holdsfor.engine.metric.timeline import rescaled
from holdsfor.engine.tables import FOREVER

ENDLESS = int(FOREVER)
ALL_TIME = (-ENDLESS, ENDLESS)


class NeverEnds(HoldsforError):
    """A program that derives for ever: since when and with which period, if they are known, and what."""

    def __init__(
        self, since: Fraction | None = None, period: Fraction | None = None, relations: Sequence[Relation] = ()
    ) -> None:
        names = ", ".join(str(relation) for relation in relations if relation.is_written)
        super().__init__(f"the program derives facts{f' of {names}' if names else ''} for ever")
        self.since = since
        self.period = period
        self.relations = tuple(relations)


@dataclass
class Carried:
    """What a stratum knows at the end of a slice: facts ahead, facts that go on, what is armed of each `Since`, and the
    recent past that an `Until` waits over.
    """

    ahead: dict[Relation, Facts] = field(default_factory=dict)
    going_on: dict[Relation, Facts] = field(default_factory=dict)
    armed: dict[int, Facts] = field(default_factory=dict)
    recent: dict[Relation, Facts] = field(default_factory=dict)

    @property
    def facts(self) -> int:
        """The number of facts that are kept."""
        tables = (*self.ahead.values(), *self.going_on.values(), *self.armed.values(), *self.recent.values())
        return sum(table.rows for table in tables)

    def rescaled(self, factor: int) -> Carried:
        """The same on a time-line with so many times the ticks."""
        return Carried(
            {relation: rescaled(table, factor) for relation, table in self.ahead.items()},
            {relation: rescaled(table, factor) for relation, table in self.going_on.items()},
            {place: rescaled(table, factor) for place, table in self.armed.items()},
            {relation: rescaled(table, factor) for relation, table in self.recent.items()},
        )


class Stratum:
    """The rules of a stratum, ready to run."""

    def __init__(
        self,
        stratum: MetricStratum,
        scale: int,
        dictionary: Dictionary,
        *,
        most_rounds: int | None = None,
        asked_beyond: tuple[bool, bool] = (False, False),
    ) -> None:
        """`asked_beyond`: whether somebody asks about times before, or after, all that are told apart."""
        self._most_rounds = most_rounds
        self._asked_beyond = asked_beyond
        self._origins = tuple(dict.fromkeys(rule.origin for rule in stratum.rules))
        self.relations = stratum.relations
        self._members = set(stratum.relations)
        self._dictionary = dictionary
        self._is_recursive = stratum.is_recursive
        self._offsets = {
            place: Offsets.of(rule.offsets, scale)
            for place, rule in enumerate(stratum.rules)
            if not isinstance(rule, Joined)
        }
        self._bodies = {place: Body(rule) for place, rule in enumerate(stratum.rules) if isinstance(rule, Joined)}
        self._since = {
            place: Since(rule, self._offsets[place])
            for place, rule in enumerate(stratum.rules)
            if isinstance(rule, Lasting)
        }
        self._rules = dict(enumerate(stratum.rules))
        self._recursive = {
            place: rule
            for place, rule in self._rules.items()
            if any(source in self._members for source, _, _ in sources(rule))
        }
        self._waits = {place: int(since.rule.waits * scale) for place, since in self._since.items() if since.rule.waits}
        self._recall: dict[Relation, int] = {}
        for place, ticks in self._waits.items():
            for scan in (self._since[place].rule.left, self._since[place].rule.right):
                self._recall[scan.relation] = max(ticks, self._recall.get(scan.relation, 0))
        self._memory = self._remembered()
        self.has_since = bool(self._since)

    def _remembered(self) -> dict[Relation, int]:
        """The relations of which the interval that goes on at the end of a slice is needed, and how much of it."""
        memory: dict[Relation, int] = {}
        for place, rule in self._rules.items():
            if isinstance(rule, Eroded):
                offsets = self._offsets[place]
                width = int(FOREVER) if offsets.high is None or offsets.low is None else offsets.high - offsets.low
                memory[rule.source] = max(memory.get(rule.source, 0), width)
            elif isinstance(rule, Lasting) and place not in self._waits:
                for scan in (rule.left, rule.right):
                    memory.setdefault(scan.relation, 0)
        return memory

    def advance(
        self, given: Mapping[Relation, Facts], carried: Carried, slice_: tuple[int, int] = ALL_TIME
    ) -> tuple[dict[Relation, Facts], Carried]:
        """What holds in a slice of time, which nothing before the slice can change any more.

        `given` are maximal facts in the slice: those of other strata, and input facts of the stratum's own relations.
        Facts of its own that are known ahead of time are in `carried`.
        """
        return _Slice(self, given, carried, slice_).run()


class _Slice:
    """The work on one slice."""

    def __init__(
        self, stratum: Stratum, given: Mapping[Relation, Facts], carried: Carried, slice_: tuple[int, int]
    ) -> None:
        self._stratum = stratum
        self._given = given
        self._carried = carried
        self._low, self._high = slice_
        self._now: dict[Relation, Facts] = {}
        self._ahead: dict[Relation, list[Facts]] = {}
        self._grown_tables: dict[Relation, Facts] = {}

    def run(self) -> tuple[dict[Relation, Facts], Carried]:
        stratum = self._stratum
        pieces: dict[Relation, list[Facts]] = {relation: self._known(relation) for relation in stratum.relations}
        for place, rule in stratum._rules.items():
            if place not in stratum._recursive:
                pieces[rule.head].append(self._derived(place, rule))
        fresh = self._taken(pieces)
        if stratum._is_recursive:
            self._armed_first(pieces := {relation: [] for relation in stratum.relations})
            for relation, facts in self._taken(pieces).items():
                fresh[relation] = maximal([fresh.get(relation, no_facts(relation.arity)), facts])
        rounds = 0
        while fresh and stratum._is_recursive:
            rounds += 1
            if stratum._most_rounds is not None and rounds > stratum._most_rounds:
                raise NeverEnds
            pieces = {relation: [] for relation in stratum.relations}
            for place, rule in stratum._recursive.items():
                for found in self._consequences(place, rule, fresh):
                    pieces[rule.head].append(found)
            fresh = self._taken(pieces)
        carried = self._carried_on()
        if any(stratum._asked_beyond):
            self._require_near((*self._now.values(), *carried.ahead.values()))
        return self._now, carried

    def _require_near(self, tables: Iterable[Facts]) -> None:
        """Raise ProgramError if somebody asks about times that are not told apart."""
        for facts in tables:
            if any(
                beyond and asked for beyond, asked in zip(lies_beyond(facts), self._stratum._asked_beyond, strict=True)
            ):
                raise ProgramError([times_too_far(self._stratum._origins)])

    def _known(self, relation: Relation) -> list[Facts]:
        """Facts of a relation of the stratum that need no rule."""
        tables = [table for source in (self._given, self._carried.ahead) if (table := source.get(relation)) is not None]
        return tables or [no_facts(relation.arity)]

    def _taken(self, pieces: Mapping[Relation, list[Facts]]) -> dict[Relation, Facts]:
        """Add what was derived to what holds now and what will; what is new of the former is returned."""
        fresh = {}
        for relation, derived in pieces.items():
            if not derived and relation in self._now:
                continue
            inside = [facts.clipped(self._low, self._high) for facts in derived]
            found = maximal(inside) if inside else no_facts(relation.arity)
            if self._high < FOREVER:
                later = (facts.clipped(self._high, ENDLESS) for facts in derived)
                self._ahead.setdefault(relation, []).extend(facts for facts in later if facts.rows)
            if relation not in self._now:
                self._now[relation] = new = found
            else:
                new = minus(found, self._now[relation])
                if new.rows:
                    self._now[relation] = maximal([self._now[relation], new])
            if new.rows:
                fresh[relation] = new
                self._grown_tables.pop(relation, None)
        return fresh

    def _table(self, relation: Relation) -> Facts:
        found = self._now.get(relation) if relation in self._stratum._members else self._given.get(relation)
        return no_facts(relation.arity) if found is None else found

    def _grown(self, relation: Relation) -> Facts:
        """A relation in the slice, joined with what went on before it."""
        table = self._grown_tables.get(relation)
        if table is None:
            before = self._carried.going_on.get(relation)
            now = self._table(relation)
            table = self._grown_tables[relation] = now if before is None or not before.rows else maximal([before, now])
        return table

    def _derived(self, place: int, rule: NormalRule) -> Facts:
        """What a rule derives from relations outside the stratum."""
        stratum = self._stratum
        match rule:
            case Moved(source=source):
                return moved(self._table(source), stratum._offsets[place])
            case Eroded(source=source):
                return eroded(self._grown(source), stratum._offsets[place])
            case Lasting(left=left, right=right) if place in stratum._waits:
                return self._waited(place, left, right)
            case Lasting(left=left, right=right):
                since = stratum._since[place]
                lefts, rights = self._grown(left.relation), self._grown(right.relation)
                found = [since.solve(lefts, rights, stratum._dictionary)]
                armed = self._carried.armed.get(place)
                if armed is not None and armed.rows:
                    found.append(since.solve_armed(armed, lefts, self._low, stratum._dictionary))
                return maximal(found)
            case Joined():
                return stratum._bodies[place].solve(self._table, stratum._dictionary)

    def _waited(self, place: int, left: Scan, right: Scan) -> Facts:
        """An `Until` as it was when all that it asks about had become known, moved to now."""
        cells = 2 * self._stratum._waits[place]
        tables = [self._recently(scan.relation) for scan in (left, right)]
        found = self._stratum._since[place].solve(tables[0], tables[1], self._stratum._dictionary)
        known = found if self._high >= FOREVER else found.clipped(-ENDLESS, self._high - cells)
        return moved(known, by(cells // 2)).clipped(self._low, self._high)

    def _recently(self, relation: Relation) -> Facts:
        """A relation in the slice and for as long before it as an `Until` waits."""
        before = self._carried.recent.get(relation)
        return self._table(relation) if before is None else maximal([before, self._table(relation)])

    def _armed_first(self, pieces: Mapping[Relation, list[Facts]]) -> None:
        """What recursive rules derive from the past alone: intervals that go on without a new fact do not call them."""
        stratum = self._stratum
        for place, rule in stratum._recursive.items():
            if not isinstance(rule, Lasting) or place in stratum._waits:
                continue
            since, lefts = stratum._since[place], self._grown(rule.left.relation)
            armed = self._carried.armed.get(place)
            if armed is not None:
                pieces[rule.head].append(since.solve_armed(armed, lefts, self._low, stratum._dictionary))
            last = self._carried.going_on.get(rule.right.relation)
            if last is not None:
                # The left side may begin right after the last point at which the right side held.
                pieces[rule.head].append(since.solve(lefts, last, stratum._dictionary))

    def _consequences(self, place: int, rule: NormalRule, fresh: Mapping[Relation, Facts]) -> Iterator[Facts]:
        """What a rule derives because of facts that are new."""
        stratum = self._stratum
        match rule:
            case Moved(source=source):
                if source in fresh:
                    yield moved(fresh[source], stratum._offsets[place])
            case Eroded(source=source):
                if source in fresh:
                    yield eroded(covering(self._grown(source), fresh[source]), stratum._offsets[place])
            case Lasting(left=left, right=right) if place in stratum._waits:
                if left.relation in fresh or right.relation in fresh:
                    yield self._waited(place, left, right)
            case Lasting(left=left, right=right):
                yield from self._lasting(place, left, right, fresh)
            case Joined(literals=literals):
                body = stratum._bodies[place]
                for number, literal in enumerate(literals):
                    if isinstance(literal, Scan) and not literal.negated and literal.relation in fresh:
                        yield body.solve(self._table, stratum._dictionary, number, fresh[literal.relation])

    def _lasting(self, place: int, left: Scan, right: Scan, fresh: Mapping[Relation, Facts]) -> Iterator[Facts]:
        since, dictionary = self._stratum._since[place], self._stratum._dictionary
        lefts, rights = self._grown(left.relation), self._grown(right.relation)
        if right.relation in fresh:
            yield since.solve(lefts, fresh[right.relation], dictionary)
        if left.relation in fresh:
            longer = covering(lefts, fresh[left.relation])
            yield since.solve(longer, rights, dictionary)
            armed = self._carried.armed.get(place)
            if armed is not None and armed.rows:
                yield since.solve_armed(armed, longer, self._low, dictionary)

    def _carried_on(self) -> Carried:
        if self._high >= FOREVER:
            return Carried()
        stratum = self._stratum
        ahead = {relation: maximal(tables) for relation, tables in self._ahead.items() if tables}
        going_on = {}
        for relation, width in stratum._memory.items():
            table = self._grown(relation)
            # The slice ends with a point: intervals that hold there may go on.
            going_on[relation] = table.take(table.end >= self._high).clipped(
                max(self._high - 1 - 2 * width, -int(FOREVER)), self._high
            )
        armed = {}
        for place, since in stratum._since.items():
            if place in stratum._waits:
                continue
            tables = self._grown(since.rule.left.relation), self._grown(since.rule.right.relation)
            before = self._carried.armed.get(place, no_facts(since.rule.head.arity))
            armed[place] = since.arm(before, *tables, (self._low, self._high), stratum._dictionary)
        # One gap more: whether the left side of an `Until` goes on from before is to be seen.
        recent = {
            relation: self._recently(relation).clipped(self._high - 2 * ticks - 2, self._high)
            for relation, ticks in stratum._recall.items()
        }
        return Carried(
            ahead,
            {relation: table for relation, table in going_on.items() if table.rows},
            {place: table for place, table in armed.items() if table.rows},
            {relation: table for relation, table in recent.items() if table.rows},
        )
