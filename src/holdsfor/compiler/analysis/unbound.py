"""Creates diagnostics about unbound variables (HF201)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from holdsfor import ir
from holdsfor.compiler.analysis.binding import Needs, names, schedule
from holdsfor.compiler.analysis.places import other_text, span_of
from holdsfor.compiler.analysis.similar import suggest
from holdsfor.diagnostics import Diagnostic, Fix, Severity, Span
from holdsfor.logic.library import LIBRARY
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Term, Var, arguments, functor, variables

_BIND_OUTSIDE = "bind it in every branch, or by a condition outside the branches"
_BIND = "add a condition that binds it: an event, a fluent that holds, or a fact"


class UnboundFindings:
    """Finds the variables at fault in one rule and writes the findings."""

    def __init__(self, rule: ir.Rule, needs: Needs, *, has_groundings: bool = False) -> None:
        self._rule = rule
        self._needs = needs
        self._has_groundings = has_groundings
        self._count = Counter(variable.name for variable in ir.rule_variables(rule))

    def about_conditions(self, stuck: ir.Body, bound: frozenset[str]) -> Iterator[Diagnostic]:
        """Conditions that cannot run, without those that only wait for the result of another one."""
        seen: set[str] = set()
        for literal, missing in self._roots(stuck, bound):
            for variable in missing:
                if variable.name not in seen:
                    seen.add(variable.name)
                    yield self._about_condition(literal, variable)

    def about_head(self, variable: Var) -> Diagnostic:
        """A variable of the head that the body does not bind."""
        rule, shown = self._rule, variable.written
        message = f"no condition of the body binds {shown}" if rule.body else f"no condition binds {shown}"
        if isinstance(rule, ir.IntervalRule) and variable.name in names(rule.out):
            message = f"no condition computes {shown}"
        meant = self._meant(variable)
        hint = _did_you_mean(meant) if meant else self._head_hint(variable)
        return _unsafe(message, span_of(variable, rule.span), hint, self._fix(variable, meant))

    def _roots(self, stuck: ir.Body, bound: frozenset[str]) -> list[tuple[ir.Literal, list[Var]]]:
        found = [(literal, self._missing(literal, bound)) for literal in stuck]
        roots = [
            (literal, missing)
            for literal, missing in found
            if not any(_gives(other) & {v.name for v in missing} for other in stuck if other is not literal)
        ]
        return roots or found[:1]

    def _missing(self, literal: ir.Literal, bound: frozenset[str]) -> list[Var]:
        """The variables that must be bound before a literal can run, in reading order."""
        needed: Iterable[Var]
        match literal:
            case ir.Holds(time=time):
                needed = variables(time)
            case ir.Algebra(inputs=inputs, bound=threshold):
                terms = inputs if threshold is None else (*inputs, threshold)
                needed = (variable for term in terms for variable in variables(term))
            case ir.Assign(expression=expression):
                needed = variables(expression)
            case ir.Call(atom=atom):
                needed = self._missing_arguments(atom, bound)
            case ir.Compare() | ir.Guard():
                needed = ir.literal_variables(literal)
            case _:
                needed = self._missing_inside(literal, bound)
        return list({variable.name: variable for variable in needed if variable.name not in bound}.values())

    def _missing_arguments(self, atom: Term, bound: frozenset[str]) -> list[Var]:
        name, args = functor(atom), arguments(atom)
        assert name is not None
        positions = LIBRARY[name].needs if name in LIBRARY else self._needs(name)
        needed = [variable for position in positions for variable in variables(args[position])]
        if all(variable.name in bound for variable in needed):
            left_open = self._needs.left_open(atom, bound)
            return [variable for variable in variables(atom) if variable.name in left_open]
        return needed

    def _missing_inside(self, literal: ir.Literal, bound: frozenset[str]) -> list[Var]:
        """Unbound variables of a negation or `findall` that occur elsewhere, or that its conditions need."""
        given = names(literal.result) if isinstance(literal, ir.FindAll) else set()
        inside = [variable for variable in ir.literal_variables(literal) if variable.name not in given]
        count = Counter(variable.name for variable in inside)
        shared = [variable for variable in inside if self._count[variable.name] > count[variable.name]]
        if isinstance(literal, ir.Not | ir.FindAll) and any(variable.name not in bound for variable in shared):
            return shared
        found: list[Var] = []
        for body in _branches(literal) if isinstance(literal, ir.Or | ir.IfThenElse) else ir.sub_bodies(literal):
            result = schedule(body, bound, self._needs, frozenset(self._count))
            found += (variable for inner in result.stuck for variable in self._missing(inner, result.bound))
        return found or self._bound_sometimes(literal, bound, shared) or inside

    def _bound_sometimes(self, literal: ir.Literal, bound: frozenset[str], shared: list[Var]) -> list[Var]:
        """The variables that occur elsewhere in the rule and that only some branches bind."""
        if not isinstance(literal, ir.Or | ir.IfThenElse):
            return []
        ends = [schedule(body, bound, self._needs, frozenset(self._count)).bound for body in _branches(literal)]
        return [variable for variable in shared if not all(variable.name in end for end in ends)]

    # Words

    def _about_condition(self, literal: ir.Literal, variable: Var) -> Diagnostic:
        shown, span = variable.written, span_of(variable, literal.span)
        meant = self._meant(variable)
        fix = self._fix(variable, meant)
        if isinstance(literal, ir.Algebra | ir.Guard):
            hint = _did_you_mean(meant) if meant else f"compute it: holdsFor(…, {shown})"
            return _unsafe(f"no condition computes {shown}", span, hint, fix)
        if isinstance(literal, ir.Not):
            hint = _did_you_mean(meant) if meant else f"add a condition with {shown} that is not negated"
            return _unsafe(f"{shown} is unbound in this negation", span, hint, fix)
        if isinstance(literal, ir.Or | ir.IfThenElse) and self._bound_sometimes(literal, frozenset(), [variable]):
            return _unsafe(f"not every branch binds {shown}", span, _BIND_OUTSIDE)
        open_fact = self._open_fact(literal)
        if open_fact is not None:
            return _unsafe(f"no condition binds {shown}", span, open_fact)
        return _unsafe(f"no condition binds {shown}", span, _did_you_mean(meant) if meant else _BIND, fix)

    def _open_fact(self, literal: ir.Literal) -> str | None:
        """A fact with variables does not bind the arguments that it leaves open."""
        name = functor(literal.atom) if isinstance(literal, ir.Call) else None
        facts = self._needs.open_facts.get(name, ()) if name is not None and not self._needs(name) else ()
        return f"{print_term(facts[0])} does not bind it: add a condition that does" if facts else None

    def _meant(self, variable: Var) -> str | None:
        """Another variable of the rule that also occurs just once, and was probably meant to be the same."""
        if variable.name in ("True", "False"):
            return variable.name.lower()
        if not self._rule.body and not isinstance(self._rule, ir.DelayRule):
            return None
        count = Counter(other.written for other in ir.rule_variables(self._rule) if not other.name.startswith("_"))
        others = [name for name, times in count.items() if times == 1 and name != variable.written]
        close = suggest(variable.written, others, cutoff=0.6)
        if close is None and len(others) == 1 and count[variable.written] == 1:
            close = others[0]
        return close

    def _fix(self, variable: Var, meant: str | None) -> Fix | None:
        """Makes two variables equal by renaming the one that occurs just once."""
        if meant is None:
            return None
        there = [other for other in ir.rule_variables(self._rule) if self._is_written_here(other)]
        mine = [other for other in there if other.written == variable.written]
        others = [other for other in there if other.written == meant]
        if len(mine) > 1 and len(others) == 1:
            return other_text(others[0].span, variable.written)
        return other_text(variable.span, meant) if variable in mine else None

    def _is_written_here(self, variable: Var) -> bool:
        """Whether a variable occurs in the text of the rule. An unfolded helper brings variables of its own."""
        source, start, end = self._rule.span
        return variable.span.source == source and start <= variable.span.start < end

    def _head_hint(self, variable: Var) -> str:
        match self._rule:
            case ir.IntervalRule(out=out) if variable.name in names(out):
                return f"give {variable.written} to the last interval operator as its result"
            case ir.InitiallyRule(fvp=fvp):
                pair = f"{print_term(fvp.fluent)}={print_term(fvp.value)}"
                if variable.written == "_":
                    return f"say which are meant: in {pair}, write X for _, and add :- fact(X)"
                return f"say which are meant, such as initially({pair}) :- fact({variable.written})."
            case ir.DelayRule():
                return "compute it in a body, or use a variable of the first fluent"
            case ir.EffectRule(fvp=fvp) if variable == fvp.value:
                return f"bind it in the body, or write {_as_constant(variable)} if it is a constant"
            case ir.EffectRule() | ir.IntervalRule() if self._has_groundings:
                return "no grounding of this fluent gives it one either: bind it here or there"
            case ir.EffectRule():
                return "bind it in the body, or declare grounding for this fluent"
            case _:
                return "bind it in the body"


def _branches(literal: ir.Or | ir.IfThenElse) -> tuple[ir.Body, ...]:
    """The alternative bodies; the condition of a conditional belongs to its first branch."""
    if isinstance(literal, ir.Or):
        return literal.branches
    return ((*literal.condition, *literal.then), literal.otherwise or ())


def _gives(literal: ir.Literal) -> set[str]:
    """The variables that a literal would bind if it could run."""
    match literal:
        case ir.Algebra(out=out) | ir.Intervals(out=out):
            return names(out)
        case ir.Assign(target=target):
            return names(target)
        case ir.FindAll(result=result):
            return names(result)
        case ir.Call(atom=atom):
            return names(atom)
        case ir.Holds(fvp=fvp):
            return names(fvp.fluent) | names(fvp.value)
        case ir.Or() | ir.IfThenElse():
            return set.intersection(*(set(ir.variable_names(body)) for body in _branches(literal)))
        case _:
            return set()


def _as_constant(variable: Var) -> str:
    return variable.name[0].lower() + variable.name[1:]


def _did_you_mean(name: str) -> str:
    return f"did you mean {name}?" + (" A capital letter makes it a variable" if name in ("true", "false") else "")


def _unsafe(message: str, span: Span, hint: str, fix: Fix | None = None) -> Diagnostic:
    return Diagnostic("HF201", Severity.ERROR, message, span, hint, fix=fix)
