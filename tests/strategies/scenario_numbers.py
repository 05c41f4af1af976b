"""Random programs about numbers: huge, tiny and infinite floats, integers around 2^53 and 2^63, words where a number
belongs; in events, facts, values, lists and background rules, inside negations, disjunctions and conditionals.

All programs of the family are valid. What has no value fails for its row alone.
"""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st

from holdsfor import loads
from holdsfor.logic.arithmetic import number_term
from holdsfor.reference import Occurrence, Record
from holdsfor.syntax.printer import print_term
from holdsfor.syntax.terms import Compound, Const, Term
from tests.strategies.engine_runs import Scenario
from tests.strategies.scenario_words import Pen
from tests.strategies.streams import any_span

SMALL: tuple[float, ...] = (0, 1, 2, 3, 7, -1, -7, 0.5, 2.5, -2.5, 0.1, 0.2, 0.3)
INTEGERS: tuple[int, ...] = tuple(
    sign * (base + more) for base in (2**53, 2**62, 2**63, 3 * 10**9, 10**20) for more in (-1, 0, 1) for sign in (1, -1)
)
FLOATS: tuple[float, ...] = (
    *(1e17, -1e17, 1e19, -1e19, 1e300, -1e300, 1.7976931348623157e308, 2.0**53, -(2.0**63), 4503599627370496.5),
    *(5e-324, -1e-300, -0.0, 0.49999999999999994, float("inf"), float("-inf")),
)
WORDS = ("abc", "inf", "pi", "e")
"""As in Prolog, the last three have a value."""
KEYS = ("a", "b")
COMPARISONS = ("<", "=<", ">", ">=", "=:=", "=\\=")
TERM_COMPARISONS = ("=", "\\=", "==", "\\==", "@<", "@=<", "@>", "@>=")
BINARY = ("+", "-", "*", "/", "//", "mod", "rem", "div", "min", "max")
UNARY = ("-", "abs", "sign", "floor", "ceiling", "round", "truncate", "integer", "float", "sqrt", "exp", "log", "sin")
DELAYS = ("2", "3.0", "1", "9223372036854775807", "100000000000000000000", "1.0e17")
AGGREGATES = ("sum_list", "max_list", "min_list", "length")


def number(pen: Pen, *, words: bool = True) -> Term:
    """A number, or rarely a word."""
    kinds: list[tuple[int, tuple[str | float, ...]]] = [(8, SMALL), (5, INTEGERS), (4, FLOATS), (int(words), WORDS)]
    found = pen.pick(pen.weighted(kinds))
    return Const(found) if isinstance(found, str) else number_term(found)


class _Writer:
    def __init__(self, pen: Pen) -> None:
        self._pen = pen

    def constant(self) -> str:
        shown = print_term(number(self._pen, words=False))
        return f"({shown})" if shown.startswith("-") else shown

    def expression(self, variables: tuple[str, ...], depth: int = 2) -> str:
        pen = self._pen
        if depth == 0 or pen.chance(35):
            return pen.pick(variables) if variables and pen.chance(70) else self.constant()
        if pen.chance(70):
            operator = pen.pick(BINARY)
            left, right = (self.expression(variables, depth - 1) for _ in range(2))
            return f"{operator}({left}, {right})" if operator in ("min", "max") else f"({left} {operator} {right})"
        if pen.chance(15):
            # A power of a large number by a large number is refused at once, and one by a small number stays small.
            return f"({self.expression(variables, 0)} ** {pen.pick(('2', '3', '0.5', '-1'))})"
        operator = pen.pick(UNARY)
        inner = self.expression(variables, depth - 1)
        return f"(- {inner})" if operator == "-" else f"{operator}({inner})"

    def test(self, variables: tuple[str, ...]) -> str:
        """A comparison of numbers, or of terms."""
        pen = self._pen
        if pen.chance(25) and variables:
            left = pen.pick(variables)
            right = pen.pick(variables) if pen.chance(50) else self.constant()
            return f"{left} {pen.pick(TERM_COMPARISONS)} {right}"
        return f"{self.expression(variables)} {pen.pick(COMPARISONS)} {self.expression(variables)}"

    def condition(self, variables: tuple[str, ...]) -> str:
        """A comparison as it is, negated, in a disjunction or in a conditional."""
        pen, test = self._pen, self.test(variables)
        match pen.number(0, 5):
            case 3:
                return f"\\+ {test}"
            case 4:
                return f"({test} ; {self.test(variables)})"
            case 5:
                return f"({test} -> {self.test(variables)} ; {self.test(variables)})"
            case _:
                return test

    def rule(self, place: int) -> str:
        """One rule; its fluent is named after its place."""
        pen = self._pen
        name = f"f{place}"
        match pen.number(0, 11):
            case 0:
                return f"initiatedAt({name}(K)=true, T) :- happensAt(m(K, V), T), {self.condition(('V',))}."
            case 1:
                return f"initiatedAt({name}(K)=W, T) :- happensAt(m(K, V), T), W is {self.expression(('V',))}."
            case 2:
                return (
                    f"initiatedAt({name}(W)=true, T) :- happensAt(m(K, V), T), happensAt(n(K, U), T), "
                    f"W is {self.expression(('V', 'U'))}, {self.condition(('V', 'U', 'W'))}."
                )
            case 3 | 4:
                inner = f", {self.condition(('V',))}" if pen.chance(25) else ""
                return (
                    f"initiatedAt({name}(K)=S, T) :- happensAt(n(K, _), T), "
                    f"findall(V, (happensAt(m(K, V), T0), T0 =< T, T - T0 < {pen.number(1, 6)}{inner}), L), "
                    f"{pen.pick(AGGREGATES)}(L, S)."
                )
            case 5:
                return (
                    f"initiatedAt({name}(K)=V, T) :- happensAt(m(K, V), T), limit(K, L), {self.condition(('V', 'L'))}."
                )
            case 6:
                return f"initiatedAt({name}(K)=W, T) :- happensAt(m(K, V), T), share(V, W)."
            case 7:
                return (
                    f"initiatedAt({name}(K)=V, T) :- happensAt(m(K, V), T).\n"
                    f"initiatedAt({name}x(K)=W, T) :- happensAt(n(K, _), T), holdsAt({name}(K)=V, T), "
                    f"W is {self.expression(('V',))}."
                )
            case 8:
                sign = pen.pick(("", "\\+ "))
                back = pen.pick(("2", "2.0", "0.5", "1", "1.0e300", "9223372036854775808", "1" + 25 * "0"))
                return (
                    f"initiatedAt({name}(K)=V, T) :- happensAt(m(K, V), T).\n"
                    f"initiatedAt({name}x(K)=true, T) :- happensAt(n(K, _), T), T2 is T - {back}, "
                    f"{sign}holdsAt({name}(K)={self.constant() if pen.chance(30) else '_'}, T2)."
                )
            case 9:
                return (
                    f"initiatedAt({name}(K)=true, T) :- happensAt(m(K, V), T), {self.test(('V',))}.\n"
                    f"terminatedAt({name}(K)=true, T) :- happensAt(n(K, _), T).\n"
                    f"holdsFor({name}d(K)=true, J) :- holdsFor({name}(K)=true, I), limit(K, L), "
                    f"{pen.pick(('intDurGreater', 'intDurLess'))}(I, L, J)."
                )
            case 10:
                return (
                    f"initiatedAt({name}(K)=red, T) :- happensAt(m(K, _), T).\n"
                    f"fi({name}(K)=red, {name}(K)=blue, R) :- delay(K, R)."
                )
            case _:
                return (
                    f"happensAt({name}e(K, W), T) :- happensAt(m(K, V), T), W is {self.expression(('V',))}.\n"
                    f"initiatedAt({name}(K)=true, T) :- happensAt({name}e(K, W), T), {self.condition(('W',))}.\n"
                    f"terminatedAt({name}(K)=true, T) :- happensAt({name}e(K, W), T), happensAt(n(K, W), T)."
                )

    def text(self) -> str:
        """The whole program."""
        pen = self._pen
        rules = [self.rule(place) for place in range(pen.number(1, 4))]
        facts = [f"limit({key}, {print_term(number(pen))})." for key in (*KEYS, *pen.some(KEYS, 2))]
        facts += [f"delay({key}, {pen.pick(DELAYS)})." for key in KEYS]
        share = f"share(X, Y) :- Y is {self.expression(('X',))}, {self.test(('X', 'Y'))}."
        return "\n".join([*rules, *facts, share])


def number_scenario(pen: Pen, *, windowed: bool) -> Scenario:
    """A program about numbers, a stream, and perhaps windows. No program of the family may be refused."""
    text = _Writer(pen).text()
    reasoner = loads(text)
    inputs = [symbol.name for symbol in reasoner.plan.inputs if symbol.name in ("m", "n")]
    last = pen.number(3, 14)
    records: list[Record] = []
    for _ in range(pen.number(1, 14)):
        time = pen.number(0, last)
        # Values are used again, so that sums have equal members and joins have partners.
        seen = [record.event.args[1] for record in records if isinstance(record.event, Compound)]  # type: ignore[union-attr]
        value = pen.pick(seen) if seen and pen.chance(25) else number(pen)
        event = Compound(pen.pick(inputs), (Const(pen.pick(KEYS)), value))
        records.append(Occurrence(event, time, time + (pen.number(0, 6) if pen.chance(20) else 0)))
        if pen.chance(8):
            records.append(records[-1])
    return Scenario(text, records, any_span(pen, records) if windowed else None, reasoner)


@st.composite
def number_scenarios(draw: Callable[..., int], *, windowed: bool) -> Scenario:
    """Scenarios for Hypothesis."""
    return number_scenario(Pen.of(draw), windowed=windowed)
