"""Errors of the parser, and its base class, which has the position."""

from __future__ import annotations

from bisect import bisect_left
from typing import NoReturn

from holdsfor.diagnostics import Diagnostic, RelatedSpan, Severity, Source, Span
from holdsfor.syntax.hints import (
    Advice,
    advice_between,
    advice_for_term,
    capital_name,
    is_comment_sign,
    mistaken_operator,
)
from holdsfor.syntax.tokens import Token, TokenKind


class SyntaxProblem(Exception):
    """Unwinds the parser to the end of the clause; the diagnostic is already recorded."""


class ParserBase:
    """A position in a list of tokens, and the findings so far. `strays` are positions that the tokenizer has reported."""

    def __init__(self, source: Source, tokens: list[Token], strays: list[int]) -> None:
        self._source = source
        self._tokens = tokens
        self._strays = strays
        self._index = 0
        self._clause_start = 0
        self._open: list[Token] = []
        self.diagnostics: list[Diagnostic] = []

    @property
    def _peek(self) -> Token:
        return self._tokens[self._index]

    def _is_dot_in_name(self, token: Token) -> bool:
        after = self._tokens[self._index + 1]
        return after.kind is TokenKind.NAME and after.start == token.end

    def _starts_clause(self, token: Token) -> bool:
        at_line_start = token.start == 0 or self._source.text[token.start - 1] == "\n"
        return at_line_start and token.kind is TokenKind.NAME

    def _fail(
        self, token: Token, message: str, hint: str | Advice, *, code: str = "HF001", label: RelatedSpan | None = None
    ) -> NoReturn:
        # A stray character is already reported; its effects on the rest of the clause are not reported.
        line = self._source.text.rfind("\n", 0, self._tokens[self._clause_start].start) + 1
        first = max(line, self._tokens[self._clause_start - 1].end if self._clause_start else 0)
        if bisect_left(self._strays, first) == bisect_left(self._strays, token.end):
            span = Span(self._source, token.start, token.end)
            labels = (label,) if label else ()
            advice = Advice(hint) if isinstance(hint, str) else hint
            fix = advice.fix(self._source)
            self.diagnostics.append(Diagnostic(code, Severity.ERROR, message, span, advice.hint, labels, fix))
        raise SyntaxProblem

    def _fail_too_deep(self, token: Token) -> NoReturn:
        self._fail(token, "nested too deeply", "split the rule into smaller ones", code="HF005")

    def _fail_expecting_end(self, token: Token) -> NoReturn:
        previous = self._tokens[self._index - 1]
        if token.text in (")", "]", "}"):
            self._fail(token, f"this {token.text} closes nothing", "remove it, or open it earlier", code="HF004")
        first, second = self._tokens[self._clause_start : self._clause_start + 2]
        if is_comment_sign(first, second):
            advice = Advice("write % for a comment", first.start, second.end, "%")
            self._fail(first._replace(end=second.end), "a clause cannot start with two dashes", advice)
        if token.kind is TokenKind.EOF or self._starts_clause(token):
            advice = Advice("end it with a full stop", previous.end, previous.end, ".")
            self._fail(previous, "the clause does not end", advice, code="HF003")
        if token.text == ":-":
            self._fail_at_second_neck(token)
        self._fail_at_operator(previous, token)
        self._fail_at_operator(token, self._tokens[self._index + 1])
        self._fail_at_capital(previous, token)
        self._fail(token, f"unexpected {_show(token)} after a complete term", advice_between(previous, token))

    def _fail_at_second_neck(self, token: Token) -> NoReturn:
        for index in range(self._index - 1, self._clause_start, -1):
            previous = self._tokens[index - 1]
            if previous.text == "," and self._starts_clause(self._tokens[index]):
                advice = Advice("end it with a full stop, not a comma", previous.start, previous.end, ".")
                self._fail(previous, "the clause does not end", advice, code="HF003")
        self._fail(token, "a second :- in one clause", "end the rule before it with a full stop", code="HF003")

    def _fail_expecting_closer(self, token: Token, closer: str) -> NoReturn:
        previous = self._tokens[self._index - 1]
        opening = self._open[-1]
        label = RelatedSpan(Span(self._source, opening.start, opening.end), "opened here")
        self._fail_at_operator(previous, token)
        self._fail_at_capital(previous, token)
        if (
            token.kind in (TokenKind.END, TokenKind.EOF)
            or self._starts_clause(token)
            or token.text in (")", "]", "}", ":-")
        ):
            message = f"expected {closer} before {_show(token)}"
            self._fail(token, message, self._hint_to_close(token, closer), code="HF004", label=label)
        self._fail(token, f"expected , or {closer}, found {_show(token)}", advice_between(previous, token), label=label)

    def _hint_to_close(self, token: Token, closer: str) -> str:
        if token.kind is TokenKind.END and self._is_dot_in_name(token):
            return "a full stop ends a clause; write names without dots"
        return f"close the bracket with {closer}"

    def _fail_expecting_term(self, token: Token) -> NoReturn:
        previous = self._tokens[self._index - 1] if self._index > self._clause_start else None
        if previous is not None:
            self._fail_at_operator(previous, token)
            if previous.text == "," and token.text == ",":
                self._fail(token, "two commas in a row", Advice("remove one", previous.end, token.end, ""))
        if token.kind is TokenKind.END and previous is None:
            self._fail(token, "a full stop without a clause", Advice("remove it", token.start, token.end, ""))
        if previous is not None and self._starts_clause(token):
            advice = Advice(f"write a full stop for the {previous.text}", previous.start, previous.end, ".")
            self._fail(previous, "the clause does not end", advice, code="HF003")
        message = f"expected a condition or a term, found {_show(token)}"
        self._fail(token, message, advice_for_term(previous, token))

    def _fail_at_operator(self, previous: Token, token: Token) -> None:
        before = self._tokens[self._clause_start : self._index]
        meant = mistaken_operator(previous, token, in_head=all(other.text != ":-" for other in before))
        if meant is not None:
            both = previous._replace(text=previous.text + token.text, end=token.end)
            is_one = " " not in meant
            advice = Advice(f"did you mean {meant} ?", both.start, both.end, meant if is_one else None)
            self._fail(both, f"{both.text} is not an operator", advice)

    def _fail_at_capital(self, previous: Token, token: Token) -> None:
        meant = capital_name(previous, token)
        if meant is not None:
            message = f"{previous.text} starts with a capital letter, so it is a variable"
            advice = Advice(f"write {meant}( for a name with arguments", previous.start, previous.end, meant)
            self._fail(previous, message, advice)


def _show(token: Token) -> str:
    if token.kind is TokenKind.EOF:
        return "the end of the file"
    if token.kind is TokenKind.END:
        return "the full stop"
    return token.text
