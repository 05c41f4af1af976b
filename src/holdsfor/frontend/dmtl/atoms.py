"""Parses metric atoms: predicates with arguments, and the operators around them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NoReturn, TypeVar

from holdsfor.diagnostics import RelatedSpan, Span
from holdsfor.frontend.dmtl import words
from holdsfor.frontend.dmtl.constants import PLAIN, QUOTED, constant, unquoted
from holdsfor.frontend.dmtl.numbers import NumberParser
from holdsfor.ir.metric import Atom, Binary, BinaryOperator, MetricAtom, Range, Truth, Unary, UnaryOperator
from holdsfor.syntax.durations import negated
from holdsfor.syntax.terms import ANONYMOUS_PREFIX, Compound, Const, Var

_Operator = TypeVar("_Operator", UnaryOperator, BinaryOperator)

MAX_DEPTH = 100
_VARIABLE = re.compile(r"\w+\Z")
_ARITHMETIC = re.compile(r"\w+\s*[-+*/]")


class Atoms(NumberParser):
    """Reads metric atoms."""

    depth = 0
    anonymous = 0

    def metric(self) -> MetricAtom:
        """A metric atom with its operators."""
        self.skip()
        start = self.position
        left = self._unary()
        operator = self._binary_operator()
        if operator is None:
            return left
        if operator in words.SIGNED_BINARY:
            meant, found_range = self._signed(operator, words.SIGNED_BINARY[operator])
        else:
            meant, found_range = words.BINARY[operator], self._operator_range(operator)
        right = self._unary()
        if (again := self._binary_operator()) is not None:
            hint = f"put one of the two in parentheses: (A {operator}[…] B) {again}[…] C"
            self.fail(self.span(self.end - len(again)), f"{operator} and {again} side by side", hint)
        return Binary(meant, found_range, left, right, self.span(start))

    def _binary_operator(self) -> str | None:
        word = self.next_word()
        if word not in words.BINARY and word not in words.SIGNED_BINARY:
            return None
        self.accept_text(word)
        return word

    def _unary(self) -> MetricAtom:
        first = self.skip()
        start = self.position
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.fail(self.here(), "nested too deeply", "give the inner part a name of its own", "HF005")
        found = self._after_operator(start) or (self._parenthesised() if first == "(" else self.atom())
        self.depth -= 1
        return found

    def _after_operator(self, start: int) -> MetricAtom | None:
        """`Diamondminus[0,2] P(X)` and similar; None if there is no operator."""
        word = self.next_word()
        if word in words.SIGNED:
            self.accept_text(word)
            operator, found_range = self._signed(word, words.SIGNED[word])
        elif word in words.UNARY:
            self.accept_text(word)
            operator, found_range = words.UNARY[word], self._operator_range(word)
        elif sign := self.accept(words.SIGN):
            operator, found_range = words.SIGNS[sign.group()], self._operator_range(sign.group())
        else:
            return None
        operand = self._unary()
        return Unary(operator, found_range, operand, self.span(start))

    def _interval_after(self, word: str) -> Range:
        after = self.skip()
        if after not in ("[", "(") or words.SIGN.match(self.text, self.position):
            operator = self.span(self.end - len(word), self.end)
            self.fail(operator, f"{word} needs an interval", f"write {word}[0,inf) for all times", "HF602")
        return self.range()

    def _operator_range(self, word: str) -> Range:
        found = self._interval_after(word)
        if found.low is None or found.low < 0:
            self.report_error(
                found.span, f"the interval of {word} is negative", _hint_for_negative(word, found), "HF602"
            )
        return found

    def _signed(self, word: str, operators: tuple[_Operator, _Operator]) -> tuple[_Operator, Range]:
        """The operator selected by the sign of the interval (past or future), with its distance."""
        past, future = operators
        found = self._interval_after(word)
        if found.high is not None and found.high <= 0:
            low = None if found.low is None else -found.low
            far, near = map(_without_sign, found.durations)
            return past, Range(-found.high, low, found.high_open, found.low_open, found.span, (near, far))
        if found.low is None or found.low < 0:
            both = "two conditions" if word == "ALWAYS" else "two rules"
            message = f"the interval of {word} reaches into the past and the future"
            self.report_error(found.span, message, f"write {both}, one for each side of 0", "HF602")
        return future, found

    def _parenthesised(self) -> MetricAtom:
        start = self.position
        self.accept_text("(")
        inner = self.metric()
        if not self.accept_text(")"):
            self._fail_unclosed_bracket(start, ")")
        return inner

    # Atoms

    def atom(self) -> Atom | Truth:
        """A predicate with its arguments."""
        self.skip()
        start = self.position
        if quoted := self.accept(QUOTED):
            name = str(unquoted(quoted.group()).value)
        else:
            word = self.accept(words.NAME)
            if word is None:
                self._fail_expecting_atom()
            name = word.group()
            if name == words.TOP:
                return Truth(self.span(start))
            self._check_name(name, start)
        if self.on_new_line() or not self.accept_text("("):
            return Atom(name, (), self.span(start))
        return Atom(name, self._arguments(name), self.span(start))

    def _check_name(self, name: str, start: int) -> None:
        if name == words.BOTTOM:
            hint = "find the contradiction with a predicate of your own: Conflict(X) :- …"
            self.fail(
                self.span(start), "Bottom is not supported: no rule may make the data inconsistent", hint, "HF606"
            )
        if name in words.BINARY or name in words.SIGNED_BINARY:
            self.fail(self.span(start), f"{name} stands between two atoms", f"write A(X) {name}[0,2] B(X)")
        if name == words.NOT:
            self.fail(
                self.span(start), "not stands before a whole condition", "give the negated part a rule of its own"
            )
        is_interval = self.text.startswith("[", self.end) and not words.SIGN.match(self.text, self.end)
        if is_interval:
            self.fail_unknown_operator(name, self.span(start))

    def fail_unknown_operator(self, name: str, span: Span) -> NoReturn:
        """Reports a name followed by an interval that is not an operator."""
        close = words.close_operator(name)
        hint = f"did you mean {close}?" if close else "the operators are Diamondminus, Boxminus, Since and so on"
        self.fail(span, f"there is no operator {name}", hint, "HF601", replacement=close)

    def _arguments(self, name: str) -> tuple[Var | Const, ...]:
        opening = self.end - 1
        if self.skip() == ")":
            self.fail(self.span(opening, self.position + 1), f"{name}() has no arguments", f"write {name}")
        args = [self._argument(opening)]
        while self.accept_text(","):
            args.append(self._argument(opening))
        if not self.accept_text(")"):
            self._fail_after_argument(opening)
        return tuple(args)

    def _argument(self, opening: int) -> Var | Const:
        if quoted := self.accept(QUOTED):
            return replace(unquoted(quoted.group()), span=self.span(quoted.start()))
        found = self.accept(PLAIN)
        if found is None or ":-" in found.group():
            self._fail_expecting_argument(opening, found)
        return self._unquoted(found.group(), self.span(found.start()))

    def _unquoted(self, text: str, span: Span) -> Var | Const:
        if text == "_":
            self.anonymous += 1
            return Var(f"{ANONYMOUS_PREFIX}{self.anonymous}", span)
        if text[0] == "_":
            hint = (
                f"write {text.lstrip('_').capitalize() or '_'} for a variable, _ for any value, '{text}' for a constant"
            )
            self.report_error(span, f"{text} is neither a variable nor a constant", hint, "HF607")
        elif text[0].isupper():
            if not _VARIABLE.match(text):
                self._report_variable(text, span)
            return Var(text, span)
        return Const(constant(text), span)

    def _report_variable(self, text: str, span: Span) -> None:
        if _ARITHMETIC.match(text):
            hint = f"write a variable here, and a condition for it: Z = {text}"
            self.report_error(span, "an argument cannot be an expression", hint, "HF607")
            return
        message = f"{text} starts with a capital letter but is not a variable"
        self.report_error(span, message, f"write '{text}' for a constant", "HF607")

    # Errors

    def _fail_expecting_atom(self) -> NoReturn:
        self.skip()
        if sign := words.NEGATIONS.match(self.text, self.position):
            self.fail_negation(sign)
        if self.text.startswith(("'", '"'), self.position):
            self._fail_open_quote()
        if self.text.startswith("["):
            self.fail(
                self.ahead(), "an interval without an operator", "write an operator such as Diamondminus before it"
            )
        hint = "write a predicate with its arguments, such as P(X)"
        self.fail(self.here(), f"expected a condition, found {self.shown()}", hint)

    def fail_negation(self, sign: re.Match[str]) -> NoReturn:
        """Reports a negation sign of another language."""
        span = self.span(sign.start(), sign.end())
        self.fail(span, f"{sign.group()} is not a negation", "write not before the condition", "HF604")

    def _fail_open_quote(self) -> NoReturn:
        quote = self.text[self.position]
        stop = self.text.find("\n", self.position)
        span = self.span(self.position, stop if stop >= 0 else len(self.text))
        self.end = span.end
        self.fail(span, "this quote is never closed", f"close it with {quote} on the same line", "HF002")

    def _fail_expecting_argument(self, opening: int, found: re.Match[str] | None) -> NoReturn:
        if found is not None:
            self.position = self.end = found.start()
            self._fail_unclosed_bracket(opening, ")")
        following = self.skip()
        if following and following in "'\"":
            self._fail_open_quote()
        before = self.text[self.end - 1 : self.end]
        if following in (",", ")") and before == ",":
            hint = "write _ for any value, or remove the comma"
            self.fail(self.ahead(), "an argument is missing before this", hint)
        if following in ("[", "(", "|"):
            self.fail(self.ahead(), "arguments are variables and constants, nothing else", "remove it", "HF607")
        self._fail_unclosed_bracket(opening, ")")

    def _fail_after_argument(self, opening: int) -> NoReturn:
        following = self.skip()
        if following == "(":
            hint = "give each part an argument of its own"
            self.fail(self.ahead(), "arguments are variables and constants, without nesting", hint, "HF607")
        if self.on_new_line() or following in ("]", ":", "@", "|", "."):
            self._fail_unclosed_bracket(opening, ")")
        label = RelatedSpan(self.span(opening, opening + 1), "opened here")
        hint = "is a comma missing? A constant with blanks must be quoted"
        self.fail(self.ahead(), f"expected , or ), found {self.shown()}", hint, label=label)

    def _fail_unclosed_bracket(self, opening: int, closer: str) -> NoReturn:
        label = RelatedSpan(self.span(opening, opening + 1), "opened here")
        message = f"expected {closer} before {self.shown()}"
        self.fail(self.here(), message, f"close the bracket with {closer}", "HF004", label)


def _without_sign(duration: Compound | None) -> Compound | None:
    return None if duration is None else negated(duration)


def _hint_for_negative(word: str, found: Range) -> str:
    other = {"Diamondminus": "Diamondplus", "Diamondplus": "Diamondminus", "Boxminus": "Boxplus", "Boxplus": "Boxminus"}
    other |= {"<->": "<+>", "<+>": "<->", "[-]": "[+]", "[+]": "[-]"}
    if word in ("Since", "Until"):
        opposite = "Since" if word == "Until" else "Until"
        return f"its numbers are 0 or more; {opposite} looks the other way, and UNTIL[-2,-1] is Since[1,2]"
    if found.high is not None and found.high <= 0:
        return f"write it without signs, or {other[word]} for the other direction"
    return f"its numbers are 0 or more; {other[word]} looks the other way"
