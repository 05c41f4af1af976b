"""Parses rule text to metric programs, and continues after an error, so that one run reports all errors."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from typing import NamedTuple, NoReturn

from holdsfor.diagnostics import Diagnostic, Source, Span, in_reading_order
from holdsfor.frontend.dmtl.conditions import Conditions
from holdsfor.frontend.dmtl.constants import constant
from holdsfor.frontend.dmtl.scanner import MetricSyntaxProblem
from holdsfor.frontend.dmtl.words import BINARY, NAME, NEGATIONS, NOT, close_operator
from holdsfor.ir import metric
from holdsfor.ir.metric import MetricAtom, MetricDirective, MetricFact, MetricLiteral, MetricProgram, MetricRule
from holdsfor.ir.scale import TIME_UNIT, TIME_ZONE
from holdsfor.syntax.hints import unit_meant
from holdsfor.syntax.terms import Compound, Const, Term, Var
from holdsfor.syntax.tokens import Comment

_BOXES = (metric.UnaryOperator.BOX_PLUS, metric.UnaryOperator.BOX_MINUS)
_NECK = re.compile(r":-")
_MISTAKEN_NECK = re.compile(r"<-(?!>)|->|:=|←|=>|:(?!-)|if\b|when\b")
_AND = re.compile(r"&&?|∧|and\b|AND\b")
_OR = re.compile(r";|∨|or\b|OR\b")
_DIRECTIVE = re.compile(rf":-\s*(?:{TIME_UNIT}|{TIME_ZONE})\b")
_UNQUOTED_ZONE = re.compile(rf"{TIME_ZONE}\s*\(\s*(\w+(?:/[\w+-]+)+)\s*\)")
_FULL_STOP = re.compile(r"\.")


class ParsedMetricSource(NamedTuple):
    """The rules and facts of a source in reading order, with its comments, findings and directives."""

    statements: list[MetricRule | MetricFact]
    comments: list[Comment]
    diagnostics: list[Diagnostic]
    directives: list[MetricDirective]


def parse_metric(sources: Iterable[Source]) -> MetricProgram:
    """Parse sources into one program; what is wrong is in its `diagnostics`.

    >>> parse_metric([Source("f", "Q(X) :- Diamondminus[0,2] P(X)")]).rules[0].head
    Atom(predicate='Q', args=(Var(name='X'),))
    """
    parsed = [parse_source(source) for source in sources]
    statements = [statement for one in parsed for statement in one.statements]
    return MetricProgram(
        tuple(statement for statement in statements if isinstance(statement, MetricRule)),
        tuple(statement for statement in statements if isinstance(statement, MetricFact)),
        tuple(in_reading_order(finding for one in parsed for finding in one.diagnostics)),
        tuple(directive for one in parsed for directive in one.directives),
    )


def parse_source(source: Source) -> ParsedMetricSource:
    """Parse one source, with its comments."""
    parser = _Parser(source)
    statements = parser.statements()
    comments = [parser.comments[start] for start in sorted(parser.comments)]
    return ParsedMetricSource(statements, comments, parser.diagnostics, parser.directives)


def parse_data(source: Source) -> ParsedMetricSource:
    """Parses facts of a data file, in which there are no variables: a capitalised name is a constant too."""
    parser = _DataParser(source)
    return ParsedMetricSource(parser.statements(), [], parser.diagnostics, [])


class _Parser(Conditions):
    _before_last = 0
    """The end of the text before the last condition."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self.directives: list[MetricDirective] = []

    def statements(self) -> list[MetricRule | MetricFact]:
        found: list[MetricRule | MetricFact] = []
        while self.skip():
            self.start = self.end = self.position
            self.depth = self.anonymous = 0
            known = len(self.diagnostics)
            try:
                statement = self._statement()
            except MetricSyntaxProblem:
                self.recover()
                continue
            if len(self.diagnostics) > known:
                continue
            if isinstance(statement, MetricDirective):
                self.directives.append(statement)
            else:
                found.append(statement)
        return found

    def _statement(self) -> MetricRule | MetricFact | MetricDirective:
        if self.skip() == ":" and self.accept(_NECK):
            return self._directive()
        written = self._written_head()
        if self.accept_text("@"):
            fact = self._fact(written)
            self._finish()
            return fact
        if self.accept(_NECK) is None:
            self._fail_expecting_neck(written)
        boxes, head = self._head(written)
        self._before_last = self.end
        body = [self.literal()]
        while self.accept_text(","):
            self._before_last = self.end
            body.append(self.literal())
        end = self.end
        self._finish(body[-1])
        return MetricRule(boxes, head, tuple(body), self.span(self.start, end))

    def _directive(self) -> MetricDirective:
        """`:- time_unit(s), time_zone('Europe/Athens').`"""
        neck = self.span(self.start)
        goals = [self._goal(neck)]
        while self.accept_text(","):
            goals.append(self._goal(neck))
        end = self.end
        self._finish()
        return MetricDirective(tuple(goals), self.span(self.start, end))

    def _goal(self, neck: Span) -> Term:
        word = self.next_word()
        if word not in (TIME_UNIT, TIME_ZONE):
            for close in get_close_matches(word, (TIME_UNIT, TIME_ZONE), 1, 0.7):
                self.fail(self.ahead(), f"unknown directive {word}", f"did you mean {close}?", replacement=close)
            self.fail(neck, "a rule without a head", "write what the rule derives before :-", "HF603")
        if unquoted := _UNQUOTED_ZONE.match(self.text, self.position):
            name, span = unquoted[1], self.span(*unquoted.span(1))
            hint = f"write the name in quotes: '{name}'"
            self.fail(span, "the name of a time zone must be quoted", hint, "HF114", replacement=f"'{name}'")
        written = self.metric()
        if not isinstance(written, metric.Atom):
            self.fail(written.span, "a directive has no operators", "write :- time_unit(s).")
        return Compound(written.predicate, written.args, written.span) if written.args else Const(word, written.span)

    def _written_head(self) -> MetricAtom:
        if self.next_word() == NOT:
            message = "a rule cannot derive a negation"
            self.fail(self.ahead(), message, "derive a predicate of its own for it", "HF603")
        if sign := NEGATIONS.match(self.text, self.position):
            self.fail_negation(sign)
        written = self.metric()
        if isinstance(written, metric.Atom) and self.text[self.start] == "(":
            bracket = self.span(self.start, self.start + 1)
            self.fail(bracket, "a bracket without a predicate before it", "write P(a) with the name of the predicate")
        return written

    def _head(self, written: MetricAtom) -> tuple[tuple[tuple[metric.UnaryOperator, metric.Range], ...], metric.Atom]:
        boxes: list[tuple[metric.UnaryOperator, metric.Range]] = []
        atom = written
        while isinstance(atom, metric.Unary):
            if atom.operator not in _BOXES:
                operator = Span(self.source, atom.span.start, atom.range.span.end)
                box = "Boxplus" if atom.operator is metric.UnaryOperator.DIAMOND_PLUS else "Boxminus"
                message = f"{atom.operator} in a head does not say when"
                self.report_error(operator, message, f"write {box}: it holds at all times of the interval", "HF603")
            boxes.append((atom.operator, atom.range))
            atom = atom.operand
        if isinstance(atom, metric.Binary):
            message = f"a rule cannot derive {atom.operator}"
            self.report_error(atom.span, message, "a head is an atom, with Boxplus or Boxminus before it", "HF603")
        elif isinstance(atom, metric.Truth):
            self.report_error(atom.span, "Top holds anyway", "write a predicate of your own", "HF603")
        return tuple(boxes), atom if isinstance(atom, metric.Atom) else metric.Atom("", (), atom.span)

    def _fact(self, written: MetricAtom) -> MetricFact:
        during = self.range() if self.skip() in ("[", "(") else self.point()
        for duration in filter(None, during.durations):
            message = f"{duration.span.text} is a duration, not a time"
            self.report_error(duration.span, message, "write the number of the time-point", "HF602")
        if not isinstance(written, metric.Atom):
            hint = "write the fact for the times at which it holds"
            self.report_error(written.span, "a fact is an atom without operators", hint, "HF605")
            return MetricFact("", (), during)
        for arg in written.args:
            if isinstance(arg, Var):
                self._report_variable_in_fact(arg)
        args = tuple(arg for arg in written.args if isinstance(arg, Const))
        return MetricFact(written.predicate, args, during, self.span(self.start))

    def _report_variable_in_fact(self, arg: Var) -> None:
        if arg.is_anonymous:
            self.report_error(arg.span, "_ in a fact", "a fact says of which constants it holds", "HF605")
            return
        message = f"{arg.name} starts with a capital letter, so it is a variable, and a fact has none"
        self.report_error(arg.span, message, f"write '{arg.name}' for a constant", "HF605")

    # The end of a rule

    def _finish(self, last: MetricLiteral | None = None) -> None:
        """The end of a rule: a full stop, or a line break where nothing continues it."""
        if self.skip() == "." and self.accept(_FULL_STOP):
            return
        if self.on_new_line() and _DIRECTIVE.match(self.text, self.position):
            return
        if self.accept(_NECK):
            self._fail_second_neck(last)
        if not self.on_new_line():
            self._fail_after_condition(last)

    def _fail_second_neck(self, last: MetricLiteral | None) -> NoReturn:
        span = self.span(self.end - 2)
        # A parsed condition is the head of the next rule if the line before it is left open.
        is_head = last is not None and "\n" in self.text[self._before_last : last.span.start]
        if is_head and self.text[self._before_last - 1] == ",":
            comma = self.span(self._before_last - 1, self._before_last)
            self.fail(comma, "the rule ends in a comma", "remove the comma, or complete the rule", "HF003")
        if is_head:
            neck = self.span(self._before_last - 2, self._before_last)
            self.fail(neck, "a rule without conditions", "complete the rule; what always holds is a fact", "HF003")
        self.fail(span, "a second :- in one rule", "start each rule on a line of its own", "HF003")

    def _fail_after_condition(self, last: MetricLiteral | None) -> NoReturn:
        self.skip()
        text, position = self.text, self.position
        if sign := NEGATIONS.match(text, position):
            self.fail_negation(sign)
        if text[position] in ")]":
            self.fail(self.ahead(), f"this {text[position]} closes nothing", "remove it, or open it earlier", "HF004")
        if text[position] == "@":
            self.fail(self.ahead(), "a condition has no time of its own", "write an operator such as Diamondminus[2,2]")
        if _AND.match(text, position):
            self.fail(self.ahead(), f"unexpected {self.shown()}", "write a comma between two conditions")
        if _OR.match(text, position):
            self.fail(self.ahead(), f"unexpected {self.shown()}", "write a rule for each alternative")
        name = NAME.match(text, position)
        if name is not None:
            self._fail_at_word(name, last)
        if last is not None and text[position] in "=<>!" and not text.startswith(("<->", "<+>"), position):
            hint = "give it an argument for the value, and compare that"
            self.fail(self.ahead(), "an atom has no value to compare", hint)
        self.fail(self.ahead(), f"unexpected {self.shown()} after a condition", "is a comma missing before it?")

    def _fail_at_word(self, name: re.Match[str], last: MetricLiteral | None) -> NoReturn:
        word, span = name.group(), self.span(name.start(), name.end())
        if self.text[self.end - 1].isdigit() and (meant := unit_meant(word)):
            self.fail(span, f"unexpected {word} after a number", meant.hint, replacement=meant.unit)
        if self.text.startswith(("[", "("), name.end()) and close_operator(word) in BINARY:
            self.fail_unknown_operator(word, span)
        if isinstance(last, metric.Condition):
            written = last.atom.right if isinstance(last.atom, metric.Binary) else last.atom
            while isinstance(written, metric.Unary):
                written = written.operand
            if isinstance(written, metric.Atom) and close_operator(written.predicate):
                self._fail_at_operator(written)
        self.fail(span, f"unexpected {word} after a complete condition", f"is a comma missing before {word}?")

    def _fail_at_operator(self, written: metric.Atom) -> NoReturn:
        start = written.span.start
        self.fail_unknown_operator(written.predicate, self.span(start, start + len(written.predicate)))

    def _fail_expecting_neck(self, written: MetricAtom) -> NoReturn:
        self.skip()
        if mistaken := _MISTAKEN_NECK.match(self.text, self.position):
            span = self.span(mistaken.start(), mistaken.end())
            self.fail(span, f"{mistaken.group()} is not a sign for rules", "did you mean :- ?", replacement=":-")
        if not self.on_new_line() and self.text[self.position] == ",":
            self.fail(self.ahead(), "a rule with two heads", "write one rule for each head", "HF603")
        if isinstance(written, metric.Atom) and (self.on_new_line() or self.text[self.position] == "."):
            shown = written.span.text
            hint = f"write {shown}@3 or {shown}@[1,2) for a fact, {shown} :- … for a rule"
            self.fail(written.span, "a fact needs its time", hint, "HF605")
        if self.on_new_line():
            self.fail(self.here(), "expected :- after the head", "write the conditions of the rule after :-")
        self._fail_after_condition(metric.Condition(written))


class _DataParser(_Parser):
    def _unquoted(self, text: str, span: Span) -> Var | Const:
        return Const(constant(text), span)

    def _directive(self) -> MetricDirective:
        hint = "write it into the file of the rules"
        self.fail(self.span(self.start), "a directive among facts", hint, "HF605")

    def _statement(self) -> MetricRule | MetricFact | MetricDirective:
        statement = super()._statement()
        if isinstance(statement, MetricRule):
            self.report_error(
                statement.span, "this is a rule, not a fact", "put rules into a file of their own", "HF605"
            )
        return statement
