"""The constants that are varied: `limit(3..8)`, `fi(alarm(_)=raised, alarm(_)=off, 10..60)`, `rules.dmtl:4:5(1..9)`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

from holdsfor.diagnostics import NOWHERE, HoldsforError, Source, Span
from holdsfor.frontend.dmtl.numbers import number_text
from holdsfor.ir import BackgroundRule, DelayRule, Program, Rule
from holdsfor.ir.metric import MetricProgram, Range
from holdsfor.syntax.parser import parse
from holdsfor.syntax.terms import Compound, Const, Term, Var

Path_: TypeAlias = tuple[str | int, ...]
"""The path of a constant in a program: fields, and places in tuples."""
Written: TypeAlias = Program | MetricProgram

_NUMBER = r"-?\d+(?:\.\d+|/\d+)?"
_RANGE = re.compile(rf"(?P<low>{_NUMBER})\s*\.\.\s*(?P<high>{_NUMBER})")
_PLACE = re.compile(rf"(?P<file>[^()]+):(?P<line>\d+):(?P<number>{_NUMBER})\((?P<range>[^()]*)\)")
_MARK = "the number to vary"
_EXAMPLE = "write it as limit(3..8), or as FILE:LINE:NUMBER(LOW..HIGH)"


@dataclass(frozen=True)
class Parameter:
    """A constant of a program, and between which numbers it is varied."""

    text: str
    low: Fraction
    high: Fraction
    current: Fraction
    paths: tuple[Path_, ...]
    fact: BackgroundRule | None = None
    """The fact that it is an argument of, if it is one."""
    argument: int = 0

    @property
    def name(self) -> str:
        """The name of the constant: its text without the range."""
        return _RANGE.sub("…", self.text)

    def put(self, program: Any, value: Fraction) -> Any:
        """The program with another value."""
        for path in self.paths:
            program = _put(program, path, value)
        return program


def read_parameter(text: str, program: Written) -> Parameter:
    """The constant that a text names; exactly one clause of the program must have it."""
    place = _PLACE.fullmatch(text.strip())
    low, high = _bounds(text, place["range"] if place else text)
    if place is not None:
        wanted = Fraction(place["number"])
        paths = tuple(_constants(program, place["file"], int(place["line"]), wanted))
        if not paths:
            raise HoldsforError(
                f"--vary {text}: line {place['line']} of {place['file']} has no number {place['number']}"
            )
        return Parameter(text, low, high, wanted, paths)
    if isinstance(program, MetricProgram):
        raise HoldsforError(
            f"--vary {text}: a constant of a metric program is named by its place, FILE:LINE:NUMBER(LOW..HIGH)"
        )
    return _named(text, low, high, program)


def _bounds(text: str, part: str) -> tuple[Fraction, Fraction]:
    found = _RANGE.findall(part)
    if len(found) != 1:
        raise HoldsforError(f"--vary {text}: one number has a range; {_EXAMPLE}")
    low, high = (Fraction(number) for number in found[0])
    if low >= high:
        raise HoldsforError(f"--vary {text}: {number_text(low)} is not below {number_text(high)}")
    return low, high


def _named(text: str, low: Fraction, high: Fraction, program: Program) -> Parameter:
    parsed = parse(Source("--vary", f"{_RANGE.sub(repr(_MARK), text, count=1).rstrip().rstrip('.')} ."))
    if parsed.diagnostics or len(parsed.clauses) != 1 or not isinstance(parsed.clauses[0].head, Compound):
        raise HoldsforError(f"--vary {text}: this is not a fact with a range; {_EXAMPLE}")
    pattern = parsed.clauses[0].head
    matching = [
        (place, path, number) for place, rule in enumerate(program.rules) for path, number in _matches(rule, pattern)
    ]
    if len(matching) != 1:
        what = "no fact or delay of the rules is like it" if not matching else f"{len(matching)} clauses are like it"
        raise HoldsforError(f"--vary {text}: {what}; it must name one")
    place, path, number = matching[0]
    rule = program.rules[place]
    if not isinstance(rule, BackgroundRule):
        return Parameter(text, low, high, number, (("rules", place, *path),))
    argument = path[2] if len(path) == 3 else -1
    assert isinstance(argument, int)
    return Parameter(text, low, high, number, (("rules", place, *path),), rule, argument)


def _matches(rule: Rule, pattern: Compound) -> Iterator[tuple[Path_, Fraction]]:
    """The place of the number in a clause that is like a pattern."""
    match rule:
        case BackgroundRule(head=head, body=()):
            yield from _match(head, pattern, ("head",))
        case DelayRule(trigger=trigger, effect=effect, delay=delay):
            parts = [Compound("=", (trigger.fluent, trigger.value))]
            parts += [Compound("=", (effect.fluent, effect.value))] if effect else []
            if (pattern.name, len(pattern.args)) != ("fi" if effect else "ft", len(parts) + 1):
                return
            is_same = all(_is_like(part, arg) for part, arg in zip(parts, pattern.args, strict=False))
            number = _number(delay)
            if is_same and pattern.args[-1] == Const(_MARK) and number is not None:
                yield ("delay",), number


def _match(term: Term, pattern: Term, path: Path_) -> Iterator[tuple[Path_, Fraction]]:
    if not isinstance(term, Compound) or not isinstance(pattern, Compound):
        return
    if (term.name, len(term.args)) != (pattern.name, len(pattern.args)):
        return
    found: list[tuple[Path_, Fraction]] = []
    for place, (arg, wanted) in enumerate(zip(term.args, pattern.args, strict=True)):
        number = _number(arg)
        if wanted == Const(_MARK):
            if number is None:
                return
            found.append(((*path, "args", place), number))
        elif not _is_like(arg, wanted):
            return
    yield from found


def _is_like(term: Term, pattern: Term) -> bool:
    """Whether a term is an instance of a pattern; names of variables do not matter."""
    if isinstance(pattern, Var) or term == pattern:
        return True
    if isinstance(term, Compound) and isinstance(pattern, Compound):
        same = (term.name, len(term.args)) == (pattern.name, len(pattern.args))
        return same and all(_is_like(arg, other) for arg, other in zip(term.args, pattern.args, strict=True))
    return False


def _number(term: Any) -> Fraction | None:
    if isinstance(term, Const) and isinstance(term.value, int | float) and not isinstance(term.value, bool):
        return Fraction(str(term.value))
    return None


def _constants(program: Any, file: str, line: int, wanted: Fraction) -> Iterator[Path_]:
    """The places of a number on a line of a file."""

    def is_there(span: Span) -> bool:
        if span.source is NOWHERE.source or not span.source.text:
            return False
        name = span.source.name
        return (name == file or Path(name).name == file) and span.source.line_column(span.start)[0] == line

    def walk(value: Any, path: Path_) -> Iterator[Path_]:
        match value:
            case Const(span=span) if _number(value) == wanted and is_there(span):
                yield path
            case Range(low=low, high=high, span=span) if is_there(span):
                yield from ((*path, "low"),) if low == wanted else ()
                yield from ((*path, "high"),) if high == wanted else ()
            case tuple():
                for place, item in enumerate(value):
                    yield from walk(item, (*path, place))
            case Span():
                return
            case _ if is_dataclass(value) and not isinstance(value, type):
                for item in fields(value):
                    if item.init and item.compare:
                        yield from walk(getattr(value, item.name), (*path, item.name))

    yield from walk(program, ())


def _put(value: Any, path: Sequence[str | int], number: Fraction) -> Any:
    if not path:
        if isinstance(value, Const):
            return replace(value, value=number.numerator if number.denominator == 1 else float(number))
        return number
    first, *rest = path
    if isinstance(first, int):
        return (*value[:first], _put(value[first], rest, number), *value[first + 1 :])
    return replace(value, **{first: _put(getattr(value, first), rest, number)})
