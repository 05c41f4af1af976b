"""Rewrites rules with magic sets, so that they derive only what a query needs.

A goal such as `P(a, X)` needs only the tuples of a relation with given values at given places. For each relation
and choice of places there is a relation of the requested values, and a copy of the original relation restricted to
them. What is requested at one time is requested at all times, so the relations of requested values do not depend on
time; the time ranges of demand are computed separately (`demand`). Values are passed from heads to bodies, and through
input facts. They do not depend on derived relations. So negation stays stratified, and all requested values are known
beforehand.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from holdsfor.compiler.metric.plan import MetricPlan, plan_rules
from holdsfor.compiler.metric.rules import (
    Eroded,
    Joined,
    JoinLiteral,
    Lasting,
    Moved,
    NormalRule,
    Relation,
    Scan,
    Total,
)
from holdsfor.ir.metric import Atom, MetricRule, Range
from holdsfor.syntax.terms import Const, Term, Var

_ALWAYS = Range(None, None, low_open=True, high_open=True)
_Places = tuple[int, ...]


@dataclass(frozen=True)
class GoalPlan:
    """A plan that is restricted to some goals, the predicates of its outputs, and filters on its input.

    `answered_by` has the output for each goal. A fact of a relation in `filters` counts if it has one of some values at
    one of some places. All facts of other relations count.
    """

    plan: MetricPlan
    predicates: Mapping[Relation, Relation]
    answered_by: tuple[Relation, ...]
    filters: Mapping[Relation, Mapping[int, frozenset[Term]]]


def goal_plan(plan: MetricPlan, goals: Sequence[Atom], *, is_stream: bool = False) -> GoalPlan:
    """The plan of some goals. On a stream, values are not passed through input facts, which may still arrive."""
    rewriting = _Rewriting(plan, is_stream=is_stream)
    outputs = [(rewriting.add(goal), Relation(*goal.signature)) for goal in goals]
    rewriting.finish()
    made = plan_rules(rewriting.rules, plan.facts, keep=[output for output, _ in outputs])
    filters = _Filters(made.rules, set(made.inputs)).all()
    wanted = tuple(dict.fromkeys(output for output, _ in outputs))
    late = {output: plan.delays[relation] for output, relation in outputs if relation in plan.delays}
    made = replace(made, outputs=wanted, delays={**plan.delays, **late}, variables=plan.variables)
    return GoalPlan(made, dict(outputs), tuple(output for output, _ in outputs), filters)


@dataclass
class _Rewriting:
    plan: MetricPlan
    is_stream: bool
    rules: list[NormalRule] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._by_head: dict[Relation, list[NormalRule]] = {}
        for rule in self.plan.rules:
            self._by_head.setdefault(rule.head, []).append(rule)
        self._requested: dict[tuple[Relation, _Places], None] = {}
        self._waiting: list[tuple[Relation, _Places]] = []
        self._whole: dict[Relation, None] = {}
        self._fresh = 0

    def add(self, goal: Atom) -> Relation:
        """Adds a goal; returns the relation with its answers, and possibly others."""
        relation = Relation(*goal.signature)
        places = tuple(place for place, arg in enumerate(goal.args) if isinstance(arg, Const))
        made = self._needed(relation, places)
        if places:
            origin = self._by_head[relation][0].origin
            values = tuple(goal.args[place] for place in places)
            self.rules.append(Joined(_magic(relation, places), values, (), origin))
        return made

    def finish(self) -> None:
        """Rewrites the rules of everything that is needed."""
        while self._waiting:
            relation, places = self._waiting.pop()
            if relation.is_written:
                self._add_given(relation, places)
            for rule in self._by_head.get(relation, ()):
                self._rewrite(rule, places)
        # A relation that is needed whole keeps its rules.
        waiting, known = list(self._whole), set(self._whole)
        while waiting:
            for rule in self._by_head.get(waiting.pop(), ()):
                self.rules.append(rule)
                new = [source for source in _sources(rule) if source not in known]
                known.update(new)
                waiting += dict.fromkeys(new)

    def _needed(self, relation: Relation, places: _Places) -> Relation:
        if not places:
            self._whole.setdefault(relation)
            return relation
        if (relation, places) not in self._requested:
            self._requested[relation, places] = None
            self._waiting.append((relation, places))
        return _copy(relation, places)

    def _add_given(self, relation: Relation, places: _Places) -> None:
        """Adds the given facts of a relation, as far as they are requested."""
        columns = tuple(Var(f"V{place}") for place in range(relation.arity))
        requested = Scan(_magic(relation, places), tuple(columns[place] for place in places))
        origin = self.plan.rules[0].origin
        self.rules.append(Joined(_copy(relation, places), columns, (requested, Scan(relation, columns)), origin))

    def _rewrite(self, rule: NormalRule, places: _Places) -> None:
        head = _copy(rule.head, places)
        match rule:
            case Moved(source=source) | Eroded(source=source):
                columns = tuple(Var(f"V{place}") for place in range(len(places)))
                self._request(source, places, columns, (Scan(_magic(rule.head, places), columns),), rule.origin)
                self.rules.append(replace(rule, head=head, source=self._needed(source, places)))
            case Lasting(columns=columns, left=left, right=right):
                names = frozenset(columns[place].name for place in places)
                requested = Scan(_magic(rule.head, places), tuple(columns[place] for place in places))
                sides = [self._scan(side, names, (requested,), rule.origin) for side in (left, right)]
                self.rules.append(replace(rule, head=head, left=sides[0], right=sides[1]))
            case Joined(terms=terms):
                values = tuple(term for term in (terms[place] for place in places) if isinstance(term, Var | Const))
                self._rewrite_join(rule, head, Scan(_magic(rule.head, places), values))

    def _rewrite_join(self, rule: Joined, head: Relation, requested: Scan) -> None:
        names, before = self._through_input(rule, requested)
        literals: list[JoinLiteral] = [requested]
        for literal in rule.literals:
            if isinstance(literal, Scan) and literal.relation in self._by_head:
                literals.append(self._scan(literal, names, before, rule.origin))
            elif isinstance(literal, Total):
                counted = frozenset(var.name for var in literal.terms)
                literals.append(replace(literal, scan=self._scan(literal.scan, names - counted, before, rule.origin)))
            else:
                literals.append(literal)
        self.rules.append(replace(rule, head=head, literals=tuple(literals)))

    def _through_input(self, rule: Joined, requested: Scan) -> tuple[frozenset[str], tuple[Scan, ...]]:
        """The variables that requested values and input facts bind, and the conditions that bind them."""
        names, before = requested.names, [requested]
        found = not self.is_stream
        while found:
            found = False
            for literal in rule.literals:
                if not isinstance(literal, Scan) or literal.negated or literal in before:
                    continue
                if literal.relation not in self._by_head and literal.names & names:
                    names, found = names | literal.names, True
                    before.append(literal)
        return names, tuple(before)

    def _scan(self, scan: Scan, names: frozenset[str], before: tuple[Scan, ...], origin: MetricRule) -> Scan:
        """A scan of the requested part of a relation; the conditions before it determine the request."""
        is_known = [isinstance(arg, Const) or arg.name in names for arg in scan.args]
        places = tuple(place for place, known in enumerate(is_known) if known)
        if not places:
            return replace(scan, relation=self._needed(scan.relation, ()))
        values = tuple(scan.args[place] for place in places)
        self._request(scan.relation, places, values, before, origin)
        return replace(scan, relation=self._needed(scan.relation, places))

    def _request(
        self, relation: Relation, places: _Places, values: Sequence[Term], before: tuple[Scan, ...], origin: MetricRule
    ) -> None:
        magic, wanted = _magic(relation, places), {value.name for value in values if isinstance(value, Var)}
        if wanted <= before[0].names:
            self._add(Joined(magic, tuple(values), before[:1], origin))
            return
        self._fresh += 1
        now = Relation(f"new requests #{self._fresh}", len(places), is_written=False)
        self._add(Joined(now, tuple(values), before, origin))
        self._add(Moved(magic, now, _ALWAYS, origin))

    def _add(self, rule: NormalRule) -> None:
        if rule not in self.rules:
            self.rules.append(rule)


def _by(places: _Places) -> str:
    return " and ".join(str(place + 1) for place in places)


def _copy(relation: Relation, places: _Places) -> Relation:
    return Relation(f"{relation.name} requested by {_by(places)}", relation.arity, is_written=False)


def _magic(relation: Relation, places: _Places) -> Relation:
    return Relation(f"requests of {relation.name} by {_by(places)}", len(places), is_written=False)


def _sources(rule: NormalRule) -> Iterator[Relation]:
    match rule:
        case Moved(source=source) | Eroded(source=source):
            yield source
        case Lasting(left=left, right=right):
            yield from (left.relation, right.relation)
        case Joined(literals=literals):
            for one in literals:
                if isinstance(one, Scan | Total):
                    yield one.relation if isinstance(one, Scan) else one.scan.relation


class _Filters:
    """Determines which input facts can contribute: those that match the requested constants."""

    def __init__(self, rules: Sequence[NormalRule], inputs: set[Relation]) -> None:
        self._rules, self._inputs = rules, inputs
        self._values: dict[Relation, set[tuple[Term, ...]] | None] = {}
        self._find_values()

    def _find_values(self) -> None:
        """The tuples of relations that follow from constants alone; None for other relations."""
        by_head: dict[Relation, list[NormalRule]] = {}
        for rule in self._rules:
            by_head.setdefault(rule.head, []).append(rule)
        open_heads = {head for head, rules in by_head.items() if not all(map(_is_copy, rules))}
        while more := {
            head
            for head, rules in by_head.items()
            if head not in open_heads
            and any(source in open_heads or source not in by_head for r in rules for source in _sources(r))
        }:
            open_heads |= more
        self._values = {head: None if head in open_heads else set() for head in by_head}
        changed = True
        while changed:
            changed = False
            for head, rules in by_head.items():
                known = self._values[head]
                if known is None:
                    continue
                for rule in rules:
                    assert isinstance(rule, Joined)
                    found = set(self._follow(rule))
                    changed |= not found <= known
                    known |= found

    def _follow(self, rule: Joined) -> Iterator[tuple[Term, ...]]:
        if not rule.literals:
            yield rule.terms
            return
        scan = rule.literals[0]
        assert isinstance(scan, Scan)
        for values in self._values[scan.relation] or ():
            bound = {arg.name: value for arg, value in zip(scan.args, values, strict=True) if isinstance(arg, Var)}
            if all(isinstance(arg, Var) or arg == value for arg, value in zip(scan.args, values, strict=True)):
                yield tuple(bound[term.name] if isinstance(term, Var) else term for term in rule.terms)

    def all(self) -> dict[Relation, dict[int, frozenset[Term]]]:
        found: dict[Relation, dict[int, frozenset[Term]]] = {}
        dropped: set[Relation] = set()
        for rule in self._rules:
            for relation, scan, known in self._uses(rule):
                if relation not in self._inputs:
                    continue
                chosen = None if scan is None else _chosen(scan, known)
                if chosen is None:
                    dropped.add(relation)
                else:
                    place, values = chosen
                    places = found.setdefault(relation, {})
                    places[place] = places.get(place, frozenset()) | values
        return {relation: places for relation, places in found.items() if relation not in dropped}

    def _uses(self, rule: NormalRule) -> Iterator[tuple[Relation, Scan | None, dict[str, frozenset[Term]]]]:
        if not isinstance(rule, Joined):
            yield from ((source, None, {}) for source in _sources(rule))
            return
        known: dict[str, frozenset[Term]] = {}
        for one in rule.literals:
            values = self._values.get(one.relation) if isinstance(one, Scan) and not one.negated else None
            if values is not None:
                assert isinstance(one, Scan)
                for place, arg in enumerate(one.args):
                    if isinstance(arg, Var):
                        known[arg.name] = frozenset(row[place] for row in values)
        for one in rule.literals:
            if isinstance(one, Scan):
                yield one.relation, one, known
            elif isinstance(one, Total):
                yield one.scan.relation, None, known


def _is_copy(rule: NormalRule) -> bool:
    """Whether a rule only copies values of one relation, or states constants."""
    return isinstance(rule, Joined) and (
        not rule.literals
        or (len(rule.literals) == 1 and isinstance(rule.literals[0], Scan) and not rule.literals[0].negated)
    )


def _chosen(scan: Scan, known: Mapping[str, frozenset[Term]]) -> tuple[int, frozenset[Term]] | None:
    """The place of a scan with the fewest possible values."""
    found = [
        (place, frozenset([arg]) if isinstance(arg, Const) else known[arg.name])
        for place, arg in enumerate(scan.args)
        if isinstance(arg, Const) or arg.name in known
    ]
    return min(found, key=lambda one: len(one[1]), default=None)
