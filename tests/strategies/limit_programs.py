"""Random event descriptions whose rules begin with tests of what stands in an event, or of when it happens."""

from __future__ import annotations

from tests.strategies.scenario_words import CONSTANTS, MODE, Pen

_OPERATORS = ("<", "=<", ">", ">=", "=:=", "=\\=")
_LIMITS = ("0", "1", "2", "3", "1.5", "-1", "0.25", "4611686018427387904")


def limit_program(pen: Pen) -> str:
    """A fluent with a value for each range of numbers, and others that read the same events."""
    rules = []
    for value in CONSTANTS[MODE]:
        tests = ", ".join(_test(pen) for _ in range(pen.weighted([(3, 1), (4, 2), (1, 3)])))
        rules.append(f"initiatedAt(range(X)={value},T) :- happensAt(set(X,N),T), {tests}.")
    rules.append(f"terminatedAt(range(X)=_,T) :- happensAt(set(X,N),T), {_test(pen)}.")
    for number in range(pen.number(1, 3)):
        tests = ", ".join(_test(pen, word=pen.pick("NM")) for _ in range(pen.number(1, 2)))
        trigger = f"happensAt(set(X,N),T), happensAt(turn(X,C),T), M is N + {pen.number(0, 2)}"
        rules.append(f"initiatedAt(f{number}(X)=C,T) :- {trigger}, {tests}.")
    if pen.chance(50):
        rules.append(f"happensAt(odd(X,N),T) :- happensAt(set(X,N),T), {_test(pen)}, X \\= {pen.pick(('ann', 'bob'))}.")
    if pen.chance(50):
        rules.append(f"initiatedAt(late(X)=true,T) :- happensAt(turn(X,C),T), {_time_test(pen)}, C \\= red.")
    if pen.chance(40):
        rules.append(f"terminatedAt(late(X)=true,T) :- happensAt(set(X,N),T), {_time_test(pen)}, {_test(pen)}.")
    return "\n".join(rules) + "\n"


def _test(pen: Pen, word: str = "N") -> str:
    operator, limit = pen.pick(_OPERATORS), pen.likely(_LIMITS)
    return f"{word} {operator} {limit}" if pen.chance(75) else f"{limit} {operator} {word}"


def _time_test(pen: Pen) -> str:
    return f"T {pen.pick(_OPERATORS)} {pen.number(0, 12)}"
