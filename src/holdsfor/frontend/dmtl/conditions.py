"""Parses conditions other than metric atoms: comparisons of arguments, and aggregates."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NoReturn

from holdsfor.frontend.dmtl.atoms import MAX_DEPTH, Atoms
from holdsfor.frontend.dmtl.constants import QUOTED, unquoted
from holdsfor.frontend.dmtl.words import NEGATIONS, NOT
from holdsfor.ir.metric import Aggregate, AggregateFunction, Comparator, Comparison, Condition, MetricLiteral
from holdsfor.syntax.durations import duration_text, is_duration, negated
from holdsfor.syntax.numbers import read_number
from holdsfor.syntax.terms import Compound, Const, Term, Var

_FUNCTIONS = {function.value: function for function in AggregateFunction}
_CALL = re.compile(r"([^\W\d]\w*)[ \t]*\(")
_COMPARATOR = re.compile(r"!=|<=|>=|==|=<|=>|<>|\\=|[=<>≤≥≠](?![-+]>)")
_MEANT = {"==": "=", "=<": "<=", "=>": ">=", "<>": "!=", "\\=": "!=", "≤": "<=", "≥": ">=", "≠": "!="}
_WORD = re.compile(r"[^\W\d]\w*|_")
_DIGITS = re.compile(r"\d+(?:\.\d+)?(?:e[+-]\d+)?", re.ASCII)
_SUM, _PRODUCT = re.compile(r"[-+]"), re.compile(r"[*/]")
_COLON = re.compile(r":(?!-)")
_CONTINUES = re.compile(r"[-+*/]|!=|\\=|[=<>≤≥≠](?![-+]>)")
"""Signs that may follow the first part of a comparison, but never an atom."""


class Conditions(Atoms):
    """Reads the conditions of a body."""

    def literal(self) -> MetricLiteral:
        """One condition."""
        first = self.skip()
        start = self.position
        if self.next_word() == NOT:
            self.accept_text(NOT)
            if self.next_word() == NOT:
                self.fail(self.ahead(), "two negations cancel each other out", "remove both")
            if self._is_comparison(self.skip()):
                self.fail(self.span(start, start + len(NOT)), "not stands before an atom", "reverse the comparison")
            return Condition(self.metric(), True, self.span(start))
        if self._is_comparison(first):
            return self._comparison(start)
        if sign := NEGATIONS.match(self.text, start):
            self.fail_negation(sign)
        return Condition(self.metric(), False, self.span(start))

    def _is_comparison(self, first: str) -> bool:
        """Whether a comparison starts here: only then do signs of arithmetic follow the first part."""
        if first.isdigit() or (first and first in "-+."):
            return True
        stop: int | None
        if first == "(":
            stop = self.after_bracket(self.position)
        else:
            call = _CALL.match(self.text, self.position)
            if call is not None and call.group(1) in _FUNCTIONS:
                stop = self.after_bracket(call.end() - 1)
            else:
                found = QUOTED.match(self.text, self.position) or _WORD.match(self.text, self.position)
                stop = found.end() if found else None
        if stop is None:
            return False
        here = self.position, self.end
        self.position = stop
        self.skip()
        continues = _CONTINUES.match(self.text, self.position) is not None
        self.position, self.end = here
        return continues

    def _comparison(self, start: int) -> MetricLiteral:
        left = self._sum()
        sign = self.accept(_COMPARATOR)
        if sign is None:
            hint = "write a condition such as X < Y + 1"
            self.fail(self.here(), f"expected a comparison, found {self.shown()}", hint)
        comparator = sign.group()
        if comparator in _MEANT:
            span = self.span(sign.start(), sign.end())
            meant = _MEANT[comparator]
            self.report_error(span, f"{comparator} is not a comparison", f"write {meant}", "HF001", replacement=meant)
            comparator = _MEANT[comparator]
        self.skip()
        call = _CALL.match(self.text, self.position)
        if call is not None:
            return self._aggregate(start, left, comparator, call)
        right = self._sum()
        if self.accept(_COMPARATOR):
            hint = "write two conditions with a comma between them"
            self.fail(self.span(self.end - 1), "a comparison has two sides", hint)
        return Comparison(Comparator(comparator), left, right, self.span(start))

    # Expressions

    def _sum(self) -> Term:
        self.skip()
        start = self.position
        left = self._product()
        while sign := self.accept(_SUM):
            left = Compound(sign.group(), (left, self._product()), self.span(start))
        return left

    def _product(self) -> Term:
        self.skip()
        start = self.position
        left = self._factor()
        while sign := self.accept(_PRODUCT):
            left = Compound(sign.group(), (left, self._factor()), self.span(start))
        return left

    def _factor(self) -> Term:
        self.skip()
        start = self.position
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(self.here(), "nested too deeply", "split the expression with more variables", "HF005")
        if self.accept_text("("):
            found = self._sum()
            if not self.accept_text(")"):
                self._fail_unclosed_bracket(start, ")")
        elif self.accept_text("-"):
            found = self._negative(self._factor(), start)
        else:
            found = self._operand()
        self.depth -= 1
        return found

    def _negative(self, inner: Term, start: int) -> Term:
        if isinstance(inner, Const) and isinstance(inner.value, int | float):
            return Const(-inner.value, self.span(start))
        if isinstance(inner, Compound) and is_duration(inner) and not duration_text(inner).startswith("-"):
            return replace(negated(inner), span=self.span(start))
        return Compound("-", (inner,), self.span(start))

    def _operand(self) -> Term:
        self.skip()
        if (length := self._duration()) is not None and length.duration is not None:
            return length.duration
        if number := self.accept(_DIGITS):
            return self._number(number)
        if quoted := self.accept(QUOTED):
            return Const(unquoted(quoted.group()).value, self.span(quoted.start()))
        self.skip()
        call = _CALL.match(self.text, self.position)
        if call is not None:
            self._fail_call(call)
        word = self.accept(_WORD)
        if word is None:
            hint = "write a variable, a number or a constant"
            self.fail(self.here(), f"expected a value, found {self.shown()}", hint)
        text, span = word.group(), self.span(word.start())
        if text[0] == "_":
            self.fail(span, "a comparison needs a value, and _ has none", "give the variable a name", "HF607")
        return Var(text, span) if text[0].isupper() else Const(text, span)

    def _number(self, found: re.Match[str]) -> Const:
        text, span = found.group(), self.span(found.start())
        digits = text.partition(".")[0]
        number = None if digits[0] == "0" and len(digits) > 1 else read_number(text)
        if number is None:
            hint = f"numbers have no leading zeros; write '{text}' for a text"
            self.report_error(span, f"{text} is not a number", hint, "HF607")
            return Const(0, span)
        return Const(number, span)

    # Aggregates

    def _aggregate(self, start: int, left: Term, comparator: str, call: re.Match[str]) -> Aggregate:
        name = call.group(1)
        if name not in _FUNCTIONS:
            self._fail_call(call)
        if comparator != "=" or not isinstance(left, Var):
            hint = f"write N = {name}(…), and a condition for N"
            self.fail(self.span(call.start(1), call.end(1)), f"{name} gives a value to a variable", hint, "HF608")
        self.position = self.end = call.end()
        terms = [self._aggregated(name)]
        while self.accept_text(","):
            terms.append(self._aggregated(name))
        if self.accept(_COLON) is None:
            hint = f"write what is aggregated, a colon and a condition: {name}(X : P(X))"
            self.fail(self.here(), f"expected : or , in {name}, found {self.shown()}", hint, "HF608")
        if self.next_word() == NOT:
            self.fail(
                self.ahead(), f"{name} cannot have a negated condition", "give the negation a rule of its own", "HF608"
            )
        atom = self.metric()
        if self.skip() == ",":
            hint = "give the conjunction a rule of its own"
            self.fail(self.ahead(), f"{name} has exactly one condition", hint, "HF608")
        if not self.accept_text(")"):
            self._fail_unclosed_bracket(call.end() - 1, ")")
        return Aggregate(_FUNCTIONS[name], left, tuple(terms), atom, self.span(start))

    def _aggregated(self, name: str) -> Var:
        word = self.accept(_WORD)
        if word is None or not word.group()[0].isupper():
            hint = f"write {name}(X : P(X)), or {name}(X, Y : P(X,Y)) for each X and Y"
            span = self.span(word.start()) if word else self.here()
            self.fail(span, f"the arguments of {name} are variables", hint, "HF608")
        return Var(word.group(), self.span(word.start()))

    def _fail_call(self, call: re.Match[str]) -> NoReturn:
        name, span = call.group(1), self.span(call.start(1), call.end(1))
        if name in _FUNCTIONS:
            hint = f"write N = {name}(…) as a condition, and then N"
            self.fail(span, f"{name} must be the whole right side of an equation", hint, "HF608")
        hint = "aggregates are count, sum, min and max"
        self.fail(span, f"{name} has no value to compare", hint, "HF608")
