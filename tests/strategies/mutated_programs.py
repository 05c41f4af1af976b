"""Programs of the examples and of the conformance cases with small changes, and streams for whatever comes out.

Other random programs are written construct by construct, so that they have what their writers thought of. These are the work
of people, and then wrong in the ways that people are: a name twice, a condition in the wrong rule, a rule that reads itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from holdsfor import loads
from holdsfor.columns.report import ground_term
from holdsfor.compiler.analysis.entities import EntityKind, Symbol
from holdsfor.diagnostics import ProgramError, Source
from holdsfor.loading import Reasoner
from holdsfor.reference import InputInterval, Occurrence, Record
from holdsfor.syntax.parser import parse
from holdsfor.syntax.printer import print_clause
from holdsfor.syntax.terms import Clause, Compound, Const, ListTerm, Term, Var, arguments, conjuncts, functor, variables
from tests.strategies.engine_runs import Scenario
from tests.strategies.scenario_words import Pen
from tests.strategies.streams import any_span

ROOT = Path(__file__).parents[2]
COMPARISONS = ("<", ">", "=<", ">=", "=:=", "=\\=")
RELATIONS = ("before", "meets", "starts", "finishes", "during", "overlaps", "equal")
MODES = ("source", "target", "union", "intersection", "relative_complement")
Place = tuple[int, ...]


@cache
def originals() -> tuple[tuple[Clause, ...], ...]:
    """The clauses of all programs that are short enough for the reference evaluator."""
    patterns = ("examples/*/*.prolog", "tests/conformance/rtec/*/*/rules.prolog")
    texts = [path.read_text("utf-8") for pattern in patterns for path in sorted(ROOT.glob(pattern))]
    clauses = [tuple(one for one in parse(Source("", text)).clauses if one.head is not None) for text in texts]
    return tuple(dict.fromkeys(found for found in clauses if found))


def mutated_scenario(pen: Pen, *, windowed: bool) -> Scenario | None:
    """A program with changes, and a stream; None if the program has no meaning."""
    text = mutated_program(pen)
    try:
        reasoner = loads(text)
    except ProgramError:
        return None
    records = _stream(pen, reasoner)
    return Scenario(text, records, any_span(pen, records) if windowed else None, reasoner)


def mutated_program(pen: Pen) -> str:
    """Some clauses of one or two programs, with up to four changes."""
    clauses = list(pen.pick(originals()))
    if pen.chance(30):
        clauses += pen.pick(originals())
    most = pen.number(6, 16)
    first = pen.number(0, max(0, len(clauses) - most))
    clauses = clauses[first : first + most]
    for _ in range(pen.number(0, 4)):
        place = pen.number(0, len(clauses) - 1)
        change = pen.pick((*CHANGES, *CHANGES, _again, _delay))
        clauses = change(pen, clauses, place)
    return "".join(f"{print_clause(clause)}\n" for clause in clauses)


# Changes

Change = Callable[[Pen, list[Clause], int], list[Clause]]


def _inside(term: Term, place: Place = ()) -> Iterator[tuple[Place, Term]]:
    yield place, term
    parts = term.args if isinstance(term, Compound) else term.items if isinstance(term, ListTerm) else ()
    for number, part in enumerate(parts):
        yield from _inside(part, (*place, number))


def _put(term: Term, place: Place, new: Term) -> Term:
    if not place:
        return new
    assert isinstance(term, Compound | ListTerm)
    parts = list(term.args if isinstance(term, Compound) else term.items)
    parts[place[0]] = _put(parts[place[0]], place[1:], new)
    return Compound(term.name, tuple(parts)) if isinstance(term, Compound) else ListTerm(tuple(parts), term.tail)


def _as_term(clause: Clause) -> Compound:
    assert clause.head is not None
    return Compound("clause", (clause.head, *conjuncts(clause.body)))


def _as_clause(term: Term) -> Clause:
    assert isinstance(term, Compound)
    head, *goals = term.args
    return Clause(head, None if not goals else goals[0] if len(goals) == 1 else Compound(",", tuple(goals)))


def _replacing(
    fits: Callable[[Term], bool], new: Callable[[Pen, Term, list[Clause]], Term], *, from_itself: bool = False
) -> Change:
    """Put something else in the place of a part of a clause, made of parts of the clause itself or of the program."""

    def change(pen: Pen, clauses: list[Clause], place: int) -> list[Clause]:
        term = _as_term(clauses[place])
        places = [(where, part) for where, part in _inside(term) if where and fits(part)]
        if not places:
            return clauses
        where, part = pen.pick(places)
        changed = _as_clause(_put(term, where, new(pen, part, clauses[place : place + 1] if from_itself else clauses)))
        return [*clauses[:place], changed, *clauses[place + 1 :]]

    return change


def _is_pair(term: Term) -> bool:
    return isinstance(term, Compound) and term.name == "=" and len(term.args) == 2 and functor(term.args[0]) is not None


def _pairs(clauses: list[Clause]) -> list[Compound]:
    inside = (part for clause in clauses for _, part in _inside(_as_term(clause)) if _is_pair(part))
    return [part for part in inside if isinstance(part, Compound)]


def _like(pen: Pen, pair: Compound, given: tuple[Term, ...]) -> Compound:
    """A pair with arguments that are given, as far as they go."""
    fluent, value = pair.args
    args = [given[number] if number < len(given) else arg for number, arg in enumerate(arguments(fluent))]
    name = functor(fluent)
    assert name is not None
    return Compound("=", (Compound(name[0], tuple(args)) if args else fluent, value))


def _other_constant(pen: Pen, term: Term, _: list[Clause]) -> Term:
    assert isinstance(term, Const)
    if isinstance(term.value, str):
        return Const(pen.pick(("true", "false", "a", "odd name")))
    return Const(pen.pick((0, 1, 3, -1, 1.5, 2**63, term.value + 1, term.value * 2)))


def _other_pair(pen: Pen, term: Term, clauses: list[Clause]) -> Term:
    assert isinstance(term, Compound)
    return _like(pen, pen.pick(_pairs(clauses)), arguments(term.args[0]))


def _other_variable(pen: Pen, term: Term, clauses: list[Clause]) -> Term:
    return pen.pick([v for clause in clauses for v in variables(_as_term(clause))])


def _other_operator(pen: Pen, term: Term, _: list[Clause]) -> Term:
    assert isinstance(term, Compound)
    if term.name in COMPARISONS:
        return Compound(pen.pick(COMPARISONS), term.args)
    if term.name in RELATIONS:
        return Compound(pen.pick(RELATIONS), term.args)
    lists, out = term.args
    if isinstance(lists, ListTerm) and len(lists.items) > 1:
        one, other = lists.items[:2]
        return pen.pick(
            (
                Compound("seq", (one, other, out)),
                Compound("relative_complement_all", (one, ListTerm(lists.items[1:]), out)),
                Compound("allen", (Const(pen.pick(RELATIONS)), one, other, Const(pen.pick(MODES)), out)),
                Compound("intDurLess", (one, Const(pen.number(0, 5)), out)),
            )
        )
    return Compound(pen.pick(("union_all", "intersect_all", "complement_all")), term.args)


def _has_operator(term: Term) -> bool:
    names = {*COMPARISONS, *RELATIONS, "union_all", "intersect_all"}
    return isinstance(term, Compound) and term.name in names and (term.name in RELATIONS or len(term.args) == 2)


def _other_event(pen: Pen, term: Term, clauses: list[Clause]) -> Term:
    assert isinstance(term, Compound)
    pairs = _pairs(clauses)
    if not pairs:
        return term
    pair = _like(pen, pen.pick(pairs), arguments(term.args[0]))
    if pen.chance(60):
        return Compound("happensAt", (Compound(pen.pick(("start", "end")), (pair,)), term.args[1]))
    return Compound(pen.pick(("initiatedAt", "terminatedAt", "holdsAt")), (pair, term.args[1]))


def _is_event(term: Term) -> bool:
    return isinstance(term, Compound) and term.name == "happensAt" and len(term.args) == 2


def _other_goals(pen: Pen, clauses: list[Clause], place: int) -> list[Clause]:
    """Add a condition of another rule, negate one, or leave one out."""
    head, *goals = _as_term(clauses[place]).args
    others = [goal for clause in clauses for goal in conjuncts(clause.body)]
    what = pen.pick(("add", "negate", "drop"))
    if what == "add" and others:
        goals.insert(pen.number(0, len(goals)), pen.pick(others))
    elif goals:
        number = pen.number(0, len(goals) - 1)
        goals[number : number + 1] = [] if what == "drop" else [Compound("\\+", (goals[number],))]
    return [*clauses[:place], _as_clause(Compound("clause", (head, *goals))), *clauses[place + 1 :]]


def _again(pen: Pen, clauses: list[Clause], place: int) -> list[Clause]:
    return [*clauses, *_other_goals(pen, clauses, place)[place : place + 1]]


def _delay(pen: Pen, clauses: list[Clause], _: int) -> list[Clause]:
    pairs = _pairs(clauses)
    if not pairs:
        return clauses
    pair, delay = pen.pick(pairs), Const(pen.pick((1, 2, 5)))
    effect = Compound("=", (pair.args[0], Const(pen.pick(("true", "false", "off")))))
    late = Compound("ft", (pair, delay)) if pen.chance(40) else Compound("fi", (pair, effect, delay))
    return [*clauses, Clause(late, None), *([Clause(Compound("p", (pair,)), None)] if pen.chance(40) else [])]


CHANGES: tuple[Change, ...] = (
    _replacing(lambda term: isinstance(term, Const), _other_constant),
    _replacing(_is_pair, _other_pair),
    _replacing(lambda term: isinstance(term, Var), _other_variable, from_itself=True),
    _replacing(_has_operator, _other_operator),
    _replacing(_is_event, _other_event),
    _other_goals,
)


# Streams


def _stream(pen: Pen, reasoner: Reasoner) -> list[Record]:
    """Records with few entities and many at one time. Constants are those that the rules have at these places, or others."""
    inputs = list(reasoner.plan.inputs)
    words = _constants(reasoner)
    last = pen.weighted([(1, 0), (2, 4), (5, 14), (2, 30)])
    is_number = {(symbol, place): pen.chance(40) for symbol in inputs for place in range(symbol.width)}

    def constant(symbol: Symbol, place: int) -> Const:
        known = words.get((symbol.name, place), [])
        if known and pen.chance(60):
            return pen.pick(known)
        return Const(pen.number(0, 6) if is_number[symbol, place] else pen.pick(("a", "b", "c")))

    records: list[Record] = []
    for _ in range(pen.number(0, 30) if inputs else 0):
        symbol, time = pen.pick(inputs), pen.number(0, last)
        term = ground_term(symbol, [constant(symbol, place) for place in range(symbol.width)])
        arrival = time + (pen.number(0, 8) if pen.chance(30) else 0)
        if symbol.kind is EntityKind.EVENT:
            records.append(Occurrence(term, time, arrival))
        else:
            end = math.inf if pen.chance(8) else time + pen.number(1, 8)
            records.append(InputInterval(term, Const("true"), time, end, arrival))
    return records


def _constants(reasoner: Reasoner) -> dict[tuple[str, int], list[Const]]:
    found: dict[tuple[str, int], list[Const]] = {}
    for clause in parse(Source("", reasoner_text(reasoner))).clauses:
        for _, part in _inside(_as_term(clause)) if clause.head is not None else ():
            for place, arg in enumerate(arguments(part) if isinstance(part, Compound) else ()):
                if isinstance(arg, Const):
                    assert isinstance(part, Compound)
                    found.setdefault((part.name, place), []).append(arg)
    return found


def reasoner_text(reasoner: Reasoner) -> str:
    """The rules of a reasoner as they were written."""
    return "".join(dict.fromkeys(rule.span.source.text for rule in reasoner.analysis.written.rules))
