"""Writes metric programs as text that can be parsed back to the same program."""

from __future__ import annotations

from holdsfor.frontend.dmtl.constants import constant_text
from holdsfor.frontend.dmtl.numbers import range_text
from holdsfor.frontend.dmtl.words import NAME, RESERVED
from holdsfor.ir import metric
from holdsfor.ir.metric import MetricAtom, MetricDirective, MetricFact, MetricLiteral, MetricProgram, MetricRule
from holdsfor.syntax.durations import duration_text
from holdsfor.syntax.printer import quoted
from holdsfor.syntax.terms import DURATION, Compound, Const, Term, Var

_LEVELS = {"+": 1, "-": 1, "*": 2, "/": 2}


def metric_text(
    part: MetricProgram | MetricRule | MetricFact | MetricDirective | MetricLiteral | MetricAtom,
) -> str:
    """A program or a part of it as text; a program has a line for each directive, then rules, then facts."""
    match part:
        case MetricProgram():
            statements = [
                *map(metric_text, part.directives),
                *map(metric_text, part.rules),
                *map(metric_text, part.facts),
            ]
            return "".join(f"{statement}\n" for statement in statements)
        case MetricDirective():
            return f":- {', '.join(map(_goal_text, part.goals))}."
        case MetricRule():
            return f"{head_text(part)} :- {', '.join(map(literal_text, part.body))}"
        case MetricFact():
            return _fact(part)
        case metric.Condition() | metric.Comparison() | metric.Aggregate():
            return literal_text(part)
        case _:
            return atom_text(part)


def _goal_text(goal: Term) -> str:
    name, args = (goal.name, goal.args) if isinstance(goal, Compound) else (str(getattr(goal, "value", "")), ())
    shown = (_argument(arg) for arg in args if isinstance(arg, Var | Const))
    return f"{name}({', '.join(shown)})" if args else name


def head_text(rule: MetricRule) -> str:
    """The head of a rule as text."""
    return "".join(f"{operator}{range_text(during)} " for operator, during in rule.boxes) + atom_text(rule.head)


def literal_text(literal: MetricLiteral) -> str:
    """One condition."""
    match literal:
        case metric.Condition(atom=atom, negated=negated):
            return f"not {_operand(atom)}" if negated else atom_text(atom)
        case metric.Comparison():
            return f"{_expression(literal.left, 0)} {literal.comparator} {_expression(literal.right, 0)}"
        case metric.Aggregate():
            terms = ", ".join(term.name for term in literal.terms)
            return f"{literal.result.name} = {literal.function}({terms} : {atom_text(literal.atom)})"


def atom_text(atom: MetricAtom) -> str:
    """A metric atom."""
    match atom:
        case metric.Atom():
            args = f"({','.join(map(_argument, atom.args))})" if atom.args else ""
            return name_text(atom.predicate) + args
        case metric.Truth():
            return "Top"
        case metric.Unary():
            return f"{atom.operator}{range_text(atom.range)} {_operand(atom.operand)}"
        case metric.Binary():
            operator = f"{atom.operator}{range_text(atom.range)}"
            return f"{_operand(atom.left)} {operator} {_operand(atom.right)}"


def name_text(predicate: str) -> str:
    """The name of a predicate, with quotes if necessary."""
    return predicate if NAME.fullmatch(predicate) and predicate not in RESERVED else quoted(predicate)


def _operand(atom: MetricAtom) -> str:
    text = atom_text(atom)
    return f"({text})" if isinstance(atom, metric.Binary) else text


def _argument(arg: Var | Const) -> str:
    if isinstance(arg, Var):
        return "_" if arg.is_anonymous else arg.name
    return constant_text(arg.value)


def _fact(fact: MetricFact) -> str:
    args = f"({','.join(constant_text(arg.value) for arg in fact.args)})" if fact.args else ""
    during = range_text(fact.during)
    return f"{name_text(fact.predicate)}{args}@{during[1:-1] if fact.during.is_punctual else during}"


def _expression(term: Term, level: int) -> str:
    match term:
        case Var():
            return term.name
        case Const(value=value):
            return _value(value)
        case Compound(name=name) if name == DURATION:
            return duration_text(term)
        case Compound(name="-", args=(inner,)):
            # A sign before a number would be parsed as part of it.
            return f"-({_expression(inner, 0)})"
        case Compound(name=name, args=(left, right)) if name in _LEVELS:
            own = _LEVELS[name]
            text = f"{_expression(left, own)} {name} {_expression(right, own + 1)}"
            return f"({text})" if own < level else text
    raise AssertionError(term)


def _value(value: str | float) -> str:
    if not isinstance(value, str):
        return constant_text(value)
    is_word = NAME.fullmatch(value) and ":" not in value and not value[0].isupper() and value[0] != "_"
    return value if is_word and value not in RESERVED else quoted(value)
