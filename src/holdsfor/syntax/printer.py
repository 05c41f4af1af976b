"""Prints terms and clauses, so that parsing the text gives the same terms."""

from __future__ import annotations

import re

from holdsfor.syntax.durations import duration_text
from holdsfor.syntax.numbers import number_text
from holdsfor.syntax.operators import ARGUMENT, CLAUSE, INFIX, PREFIX
from holdsfor.syntax.terms import DURATION, Clause, Compound, Const, ListTerm, Term, Var, conjuncts

_PLAIN_NAME = re.compile(r"[^\W\d_]\w*\Z")
_INDENT = "    "
_TIGHT = {"=", ",", ":", "^", "**", "/"}
_LINE_WIDTH = 100
_READ_AS_OTHERS = {"not", "|"}
"""Names that are parsed as `\\+` and `;`, and so must be quoted."""


def print_term(term: Term, limit: int = CLAUSE) -> str:
    """A term as canonical text.

    >>> from holdsfor.diagnostics import Source
    >>> from holdsfor.syntax.parser import parse
    >>> print_term(parse(Source("", "f( X,'A b' ,[1,2|T] )=1-(2-3).")).clauses[0].head)
    "f(X,'A b',[1,2|T])=1 - (2 - 3)"
    """
    match term:
        case Var():
            return term.written
        case Const():
            return print_constant(term.value)
        case ListTerm():
            return _print_list(term)
        case Compound():
            return _print_compound(term, limit)


def print_constant(value: str | float) -> str:
    """A constant as text, quoted where it must be.

    >>> print_constant("two words"), print_constant("café"), print_constant(2.5), print_constant(1e17)
    ("'two words'", 'café', '2.5', '1.0e+17')
    """
    if isinstance(value, str):
        return value if value == "!" or _is_plain(value) else quoted(value)
    return number_text(value)


def _is_plain(name: str) -> bool:
    return bool(_PLAIN_NAME.match(name)) and not name[0].isupper() and name not in INFIX and name not in PREFIX


def quoted(name: str) -> str:
    """A text in quotes."""
    escaped = name.replace("\\", "\\\\").replace("'", "\\'")
    for char, code in (("\n", "\\n"), ("\t", "\\t"), ("\r", "\\r")):
        escaped = escaped.replace(char, code)
    return f"'{escaped}'"


def _print_list(term: ListTerm) -> str:
    items = ",".join(print_term(item, ARGUMENT) for item in term.items)
    tail = f"|{print_term(term.tail, ARGUMENT)}" if term.tail is not None else ""
    return f"[{items}{tail}]"


def _print_compound(term: Compound, limit: int) -> str:
    name, args = term.name, term.args
    if name == DURATION:
        return duration_text(term)
    if name in (",", ";") and len(args) >= 2:
        return _parenthesise(_print_chain(name, args), INFIX[name].precedence, limit)
    if len(args) == 2 and name in INFIX and name not in _READ_AS_OTHERS:
        return _parenthesise(_print_infix(name, args[0], args[1]), INFIX[name].precedence, limit)
    if len(args) == 1 and name in PREFIX and name not in _READ_AS_OTHERS and name != ":-":
        precedence, operand_limit = PREFIX[name]
        return _parenthesise(f"{name} {print_term(args[0], operand_limit)}", precedence, limit)
    return f"{_functor(name)}({','.join(print_term(arg, ARGUMENT) for arg in args)})"


def _functor(name: str) -> str:
    return name if _is_plain(name) else quoted(name)


def _print_chain(name: str, args: tuple[Term, ...]) -> str:
    inner = INFIX[name].left
    separator = "," if name == "," else " ; "
    return separator.join(print_term(arg, inner) for arg in args)


def _print_infix(name: str, left: Term, right: Term) -> str:
    rule = INFIX[name]
    before, after = print_term(left, rule.left), print_term(right, rule.right)
    if name in _TIGHT and not after.startswith(("-", "+", "\\")):
        return f"{before}{name}{after}"
    return f"{before} {name} {after}"


def _parenthesise(text: str, precedence: int, limit: int) -> str:
    return f"({text})" if precedence > limit else text


def print_clause(clause: Clause) -> str:
    """A clause as in a formatted file: one condition per line.

    >>> from holdsfor.diagnostics import Source
    >>> from holdsfor.syntax.parser import parse
    >>> print(print_clause(parse(Source("", "a(X,Y):-b(X,f(Y,1)),\\\\+c.")).clauses[0]))
    a(X, Y) :-
        b(X, f(Y,1)),
        \\+ c.
    """
    if clause.head is None:
        return f":- {print_term(clause.body or Const('true'), CLAUSE - 1)}."
    head = print_head(clause.head)
    if clause.body is None:
        return f"{head}."
    goals = ",\n".join(f"{_INDENT}{print_goal(goal)}" for goal in conjuncts(clause.body))
    return f"{head} :-\n{goals}."


def print_head(head: Term) -> str:
    """The head of a clause."""
    return _spaced(head, CLAUSE - 1)


def print_goal(goal: Term, depth: int = 1) -> str:
    """A body goal; disjunctions that do not fit on a line are split."""
    text = _spaced(goal, ARGUMENT)
    if len(text) + depth * len(_INDENT) <= _LINE_WIDTH or not isinstance(goal, Compound):
        return text
    if goal.name == ";":
        return _print_broken_disjunction(goal.args, depth)
    return text


def _spaced(term: Term, limit: int) -> str:
    """Like `print_term`, with blanks between the arguments of the goals themselves."""
    if not isinstance(term, Compound):
        return print_term(term, limit)
    name, args = term.name, term.args
    if name in (",", ";") and len(args) >= 2:
        rule = INFIX[name]
        separator = ", " if name == "," else " ; "
        return _parenthesise(separator.join(_spaced(arg, rule.left) for arg in args), rule.precedence, limit)
    if name == "->" and len(args) == 2:
        rule = INFIX[name]
        return _parenthesise(f"{_spaced(args[0], rule.left)} -> {_spaced(args[1], rule.right)}", rule.precedence, limit)
    if name == "\\+" and len(args) == 1:
        return _parenthesise(f"\\+ {_spaced(args[0], PREFIX[name][1])}", PREFIX[name][0], limit)
    if (len(args) == 2 and name in INFIX) or (len(args) == 1 and name in PREFIX) or name == DURATION:
        return print_term(term, limit)
    return f"{_functor(name)}({', '.join(print_term(arg, ARGUMENT) for arg in args)})"


def _print_broken_disjunction(branches: tuple[Term, ...], depth: int) -> str:
    indent = _INDENT * depth
    inner = f",\n{indent}{_INDENT}"
    shown = (inner.join(print_goal(goal, depth + 1) for goal in conjuncts(branch)) for branch in branches)
    return "(   " + f"\n{indent};   ".join(shown) + f"\n{indent})"
