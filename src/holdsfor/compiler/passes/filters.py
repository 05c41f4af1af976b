"""Replaces duration filters that a program defines by hand with operators that mean exactly the same.

The usual definition goes through a list of intervals with `findall` and `member`, computes `E - S`, and compares it with a
limit:

    intDurGreater(L, V, I) :-
        findall((S,E), (member((S,E), L), (E \\= inf -> D is E-S, D > V ; queryTime(Q), D is Q-S, D > V)), I).

Its conditions are simplified twice: for an interval that has ended and for one that is open. If the first comes to one
comparison of `E - S` with the limit, the second says how an open interval is measured (`OpenLength`). Anything else stays
what it is, a list predicate of the program.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from holdsfor import ir
from holdsfor.logic.unify import substitute
from holdsfor.records import record
from holdsfor.syntax.terms import Compound, Const, Term, Var, arguments, functor, variables

Predicate = tuple[str, int]

_OPERATORS = {comparison: operator for operator, comparison in ir.DURATIONS.items()}
_MIRRORED = {">": "<", ">=": "=<", "<": ">", "=<": ">="}
_INF = Const("inf")
_NOW = Var("#now")
_FALSE: ir.Literal = ir.Call(Const("fail"))


@record
class Filter:
    """A `findall` over one list as a filter: the list, the condition on its intervals, and the limit."""

    operator: ir.IntervalOperator
    open_length: ir.OpenLength
    source: Var
    bound: Term
    out: Var


def replace_filters(program: ir.Program) -> ir.Program:
    """The program with duration filters as operators in all `holdsFor` rules."""
    defined = _defined(program)
    rules: list[ir.Rule] = []
    has_found = False
    for rule in program.rules:
        if isinstance(rule, ir.IntervalRule):
            replacer = _Replacer(defined, program.clock_tick, rule)
            rules.append(replace(rule, body=replacer.body(rule.body)))
            has_found = has_found or replacer.found
        else:
            rules.append(rule)
    return replace(program, rules=tuple(rules)) if has_found else program


def _defined(program: ir.Program) -> dict[Predicate, tuple[tuple[Term, ...], Filter]]:
    """The predicates that are duration filters, with their arguments. Each has one clause."""
    clauses: dict[Predicate, list[ir.BackgroundRule]] = {}
    for rule in program.background:
        name = functor(rule.head)
        assert name is not None
        clauses.setdefault(name, []).append(rule)
    found: dict[Predicate, tuple[tuple[Term, ...], Filter]] = {}
    for name, rules in clauses.items():
        rule, args = rules[0], arguments(rules[0].head)
        if (
            len(rules) > 1
            or len(rule.body) != 1
            or len({arg.name for arg in args if isinstance(arg, Var)}) != len(args)
        ):
            continue
        recognised = recognise(rule.body[0])
        if (
            recognised is not None
            and {recognised.source, recognised.out} <= set(args)
            and _is_local(rule.body[0], rule)
        ):
            found[name] = args, recognised
    return found


def _is_local(literal: ir.Literal, rule: ir.Rule) -> bool:
    """Whether no other condition of a rule restricts the intervals that a `findall` enumerates."""
    assert isinstance(literal, ir.FindAll)
    everywhere = Counter(v.name for v in ir.rule_variables(rule))
    inside = Counter(v.name for v in ir.literal_variables(literal))
    return all(everywhere[v.name] == inside[v.name] for v in variables(literal.template))


class _Replacer:
    def __init__(
        self, defined: Mapping[Predicate, tuple[tuple[Term, ...], Filter]], clock_tick: int, rule: ir.Rule
    ) -> None:
        self._defined = defined
        self._rule = rule
        self._clock_tick = clock_tick
        self.found = False

    def body(self, body: ir.Body) -> ir.Body:
        return tuple(self._literal(literal) for literal in body)

    def _literal(self, literal: ir.Literal) -> ir.Literal:
        match literal:
            case ir.Call(atom=atom) if (name := functor(atom)) in self._defined and name is not None:
                formal, found = self._defined[name]
                passed = {
                    arg.name: actual
                    for arg, actual in zip(formal, arguments(atom), strict=True)
                    if isinstance(arg, Var)
                }
                source, out = passed[found.source.name], passed[found.out.name]
                if not isinstance(source, Var) or not isinstance(out, Var):
                    return literal
                return self._algebra(found, source, substitute(found.bound, passed), out, literal)
            case ir.FindAll():
                direct = recognise(literal)
                if direct is None or not _is_local(literal, self._rule):
                    return literal
                return self._algebra(direct, direct.source, direct.bound, direct.out, literal)
            case ir.Or(branches=branches):
                return replace(literal, branches=tuple(self.body(branch) for branch in branches))
            case ir.IfThenElse(then=then, otherwise=otherwise):
                rest = None if otherwise is None else self.body(otherwise)
                return replace(literal, then=self.body(then), otherwise=rest)
            case _:
                return literal

    def _algebra(self, found: Filter, source: Term, bound: Term, out: Term, literal: ir.Literal) -> ir.Literal:
        if found.open_length is ir.OpenLength.SO_FAR and self._clock_tick != 1:
            # `Q - S + 1` is one time-point longer than `Q - S` only if time-points are neighbours.
            return literal
        self.found = True
        return ir.Algebra(
            found.operator,
            (source,),
            out,
            bound=bound,
            open_length=found.open_length,
            written=literal,
            span=literal.span,
        )


def recognise(literal: ir.Literal) -> Filter | None:
    """The duration filter that a `findall` is equivalent to, if any."""
    if not isinstance(literal, ir.FindAll) or not isinstance(literal.result, Var):
        return None
    template = literal.template
    if not (isinstance(template, Compound) and template.name == "," and len(template.args) == 2):
        return None
    start, end = template.args
    if not (isinstance(start, Var) and isinstance(end, Var)) or start == end:
        return None
    source, rest = _source_of(literal.body, template)
    if source is None or len({start, end, source, literal.result}) < 4 or any(_walks(inner) for inner in ir.walk(rest)):
        return None
    ended = _Case(start, end, is_open=False).simplified(rest)
    still_open = _Case(start, end, is_open=True).simplified(rest)
    if ended is None or still_open is None or len(ended) != 1:
        return None
    comparison = _measured(ended[0], {Compound("-", (end, start)): None})
    if comparison is None:
        return None
    operator, bound, _ = comparison
    open_length = _open_length(still_open, operator, bound, start)
    if open_length is None or not isinstance(bound, Var | Const) or bound in (start, end, source, literal.result):
        return None
    return Filter(_OPERATORS[operator], open_length, source, bound, literal.result)


def _source_of(body: ir.Body, element: Term) -> tuple[Var | None, ir.Body]:
    """The list whose intervals a body enumerates, and its other conditions."""
    first = body[0] if body else None
    if isinstance(first, ir.Call) and functor(first.atom) == ("member", 2):
        item, source = arguments(first.atom)
        if item == element and isinstance(source, Var):
            return source, body[1:]
    return None, body


def _walks(literal: ir.Literal) -> bool:
    return isinstance(literal, ir.FindAll) or (isinstance(literal, ir.Call) and functor(literal.atom) == ("member", 2))


def _measured(
    literal: ir.Literal, lengths: Mapping[Term, ir.OpenLength | None]
) -> tuple[str, Term, ir.OpenLength | None] | None:
    """A comparison of a length with a limit, as `length op limit`: the operator, the limit, and the kind of length."""
    if not isinstance(literal, ir.Compare) or literal.operator not in _OPERATORS:
        return None
    if literal.left in lengths:
        return literal.operator, literal.right, lengths[literal.left]
    if literal.right in lengths:
        return _MIRRORED[literal.operator], literal.left, lengths[literal.right]
    return None


def _open_length(body: ir.Body, operator: str, bound: Term, start: Term) -> ir.OpenLength | None:
    """The measure of an open interval, or whether it is kept or dropped regardless of its length."""
    if not body:
        return ir.OpenLength.KEPT
    if body == (_FALSE,):
        return ir.OpenLength.LEFT_OUT
    plain = Compound("-", (_NOW, start))
    lengths: dict[Term, ir.OpenLength | None] = {
        plain: ir.OpenLength.TO_QUERY,
        Compound("-", (_INF, start)): ir.OpenLength.ENDLESS,
        Compound("+", (plain, Const(1))): ir.OpenLength.SO_FAR,
        Compound("-", (Compound("+", (_NOW, Const(1))), start)): ir.OpenLength.SO_FAR,
    }
    found = _measured(body[0], lengths) if len(body) == 1 else None
    return found[2] if found is not None and found[:2] == (operator, bound) else None


class _Case:
    """The conditions on one interval, for an open or a closed interval."""

    def __init__(self, start: Var, end: Var, *, is_open: bool) -> None:
        self._start, self._end = start, end
        self._is_open = is_open

    def simplified(self, body: ir.Body, known: Mapping[str, Term] | None = None) -> ir.Body | None:
        """The remaining conditions: empty if always true, a failing call if never true, None if undecidable.

        `known` contains the definitions of computed variables.
        """
        meant: dict[str, Term] = {**({self._end.name: _INF} if self._is_open else {}), **(known or {})}
        left: list[ir.Literal] = []
        waiting = list(body)
        while waiting:
            literal = waiting.pop(0)
            match literal:
                case ir.Assign(target=Var(name=name), expression=expression) if name not in meant:
                    meant[name] = substitute(expression, meant)
                case ir.Call(atom=Compound(name="queryTime", args=(Var(name=name),))) if name not in meant:
                    meant[name] = _NOW
                case ir.Or() | ir.IfThenElse():
                    chosen = self._chosen(literal, meant)
                    if chosen is None:
                        return None
                    waiting = [*chosen, *waiting]
                case _:
                    found = self._test(literal, meant)
                    if found is None or found == (_FALSE,):
                        return found
                    left += found
        return tuple(left)

    def _test(self, literal: ir.Literal, meant: Mapping[str, Term]) -> ir.Body | None:
        match literal:
            case ir.Call() if literal == _FALSE:
                return (_FALSE,)
            case ir.Compare(operator=operator, left=left, right=right):
                decided = self._about_end(operator, left, right)
                if decided is not None:
                    return () if decided else (_FALSE,)
                return (ir.Compare(operator, substitute(left, meant), substitute(right, meant)),)
            case ir.Not(body=body):
                inner = self.simplified(body, meant)
                return (_FALSE,) if inner == () else () if inner == (_FALSE,) else None
            case _:
                return None

    def _chosen(self, literal: ir.Or | ir.IfThenElse, meant: Mapping[str, Term]) -> ir.Body | None:
        """The remaining branch of a disjunction or conditional."""
        if isinstance(literal, ir.IfThenElse):
            test = self.simplified(literal.condition, meant)
            if test == ():
                return literal.then
            return (literal.otherwise or (_FALSE,)) if test == (_FALSE,) else None
        ends = [self.simplified(branch, meant) for branch in literal.branches]
        if None in ends:
            return None
        possible = [branch for branch, end in zip(literal.branches, ends, strict=True) if end != (_FALSE,)]
        if len(possible) > 1:
            # Of several alternatives that keep an interval, one without conditions suffices.
            return () if () in ends else None
        return possible[0] if possible else (_FALSE,)

    def _about_end(self, operator: str, left: Term, right: Term) -> bool | None:
        """Whether a test for an open end succeeds; None if the test is another one."""
        if {left, right} != {self._end, _INF}:
            return None
        if operator in ("=", "==", "=:="):
            return self._is_open
        return not self._is_open if operator in ("\\=", "\\==", "=\\=") else None
