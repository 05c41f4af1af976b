"""A Pratt parser from tokens to clauses. It goes on after an error and reports them all."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NoReturn

from holdsfor.diagnostics import Diagnostic, Label, Severity, Source, Span
from holdsfor.syntax.hints import capital_name, hint_between, hint_for_term, is_comment_sign, mistaken_operator
from holdsfor.syntax.operators import ARGUMENT, CLAUSE, INFIX, PREFIX
from holdsfor.syntax.terms import ANONYMOUS_PREFIX, Clause, Compound, Const, ListTerm, Term, Var
from holdsfor.syntax.tokens import Comment, Kind, Token, tokenize, unquote

MAX_DEPTH = 100
_LARGEST_NUMBER = 2**63
_CLOSERS = {"(": ")", "[": "]", "{": "}"}
_FLAT = {",": (",",), ";": (";", "|"), "|": (";", "|")}
"""Operators whose chains are one flat term, and those that continue a chain."""


@dataclass(frozen=True)
class Parsed:
    """The clauses of a source, its comments, and what was wrong with it."""

    source: Source
    clauses: tuple[Clause, ...]
    comments: tuple[Comment, ...]
    diagnostics: tuple[Diagnostic, ...] = field(repr=False)


def parse(source: Source) -> Parsed:
    """Parse a source into clauses.

    >>> parse(Source("f", "p(X) :- q(X), r.")).clauses[0].head
    Compound(name='p', args=(Var(name='X'),))
    """
    tokens, comments, diagnostics = tokenize(source)
    parser = _Parser(source, tokens, [finding.span.start for finding in diagnostics])
    clauses = parser.clauses()
    return Parsed(source, tuple(clauses), tuple(comments), (*diagnostics, *parser.diagnostics))


class _SyntaxProblem(Exception):
    """Unwinds the parser to the end of the clause; the diagnostic is already recorded."""


class _Parser:
    def __init__(self, source: Source, tokens: list[Token], strays: list[int]) -> None:
        self._source = source
        self._tokens = tokens
        self._strays = strays
        self._index = 0
        self._depth = 0
        self._anonymous = 0
        self._chained = 0
        self._clause_start = 0
        self._open: list[Token] = []
        self.diagnostics: list[Diagnostic] = []

    # Clauses

    def clauses(self) -> list[Clause]:
        found: list[Clause] = []
        while self._peek.kind is not Kind.EOF:
            self._clause_start, self._anonymous, self._depth, self._chained = self._index, 0, 0, 0
            self._open.clear()
            try:
                found.append(self._clause())
            except _SyntaxProblem:
                self._recover()
        return found

    def _clause(self) -> Clause:
        first = self._peek
        term = self._term(CLAUSE)
        end = self._peek
        if end.kind is not Kind.END:
            self._fail_expecting_end(end)
        if self._chained > MAX_DEPTH // 2 and _height(term) > MAX_DEPTH:
            self._fail_too_deep(first)
        self._index += 1
        span = Span(self._source, first.start, end.end)
        if isinstance(term, Compound) and term.name == ":-":
            if len(term.args) == 1:
                return Clause(None, term.args[0], span)
            if len(term.args) == 2:
                return Clause(term.args[0], term.args[1], span)
        return Clause(term, None, span)

    def _recover(self) -> None:
        """Skip to the next clause: past a full stop, or to a line that starts a new one."""
        if self._index == self._clause_start:
            self._index += 1
        while self._peek.kind is not Kind.EOF:
            token = self._peek
            if token.kind is Kind.END and not self._is_dot_in_name(token):
                self._index += 1
                return
            if self._starts_clause(token) and self._index > self._clause_start:
                return
            self._index += 1

    def _is_dot_in_name(self, token: Token) -> bool:
        after = self._tokens[self._index + 1]
        return after.kind is Kind.NAME and after.start == token.end

    def _starts_clause(self, token: Token) -> bool:
        at_line_start = token.start == 0 or self._source.text[token.start - 1] == "\n"
        return at_line_start and token.kind is Kind.NAME

    # Terms

    def _term(self, limit: int) -> Term:
        self._depth += 1
        if self._depth > MAX_DEPTH:
            self._fail_too_deep(self._peek)
        left, precedence = self._prefix(limit)
        while (operator := self._infix_name()) is not None:
            rule = INFIX[operator]
            if rule.precedence > limit or precedence > rule.left:
                break
            if self._depth == 1 and operator == "<":
                # `a <- b` is a rule of another language, not a comparison with minus b.
                self._fail_at_operator(self._peek, self._tokens[self._index + 1])
            self._index += 1
            right = self._operand(operator, rule.right)
            left, precedence = self._combine(operator, left, right), rule.precedence
        self._depth -= 1
        return left

    def _operand(self, operator: str, limit: int) -> Term:
        """The right-hand side. Chains of `,` and `;` are read in a loop, not by recursion."""
        if operator not in _FLAT:
            return self._term(limit)
        items = [self._term(limit - 1)]
        while self._infix_name() in _FLAT[operator]:
            self._index += 1
            items.append(self._term(limit - 1))
        if len(items) == 1:
            return items[0]
        name = _FLAT[operator][0]
        return Compound(name, _flatten(name, items), self._cover(items[0], items[-1]))

    def _combine(self, operator: str, left: Term, right: Term) -> Term:
        span = self._cover(left, right)
        if operator in _FLAT:
            name = _FLAT[operator][0]
            return Compound(name, _flatten(name, [left, right]), span)
        self._chained += 1
        return Compound(operator, (left, right), span)

    def _infix_name(self) -> str | None:
        token = self._peek
        text = token.text
        return text if text in INFIX and token.kind is not Kind.QUOTED else None

    def _prefix(self, limit: int) -> tuple[Term, int]:
        token = self._peek
        if token.text in PREFIX and token.kind in (Kind.OPERATOR, Kind.NAME) and self._is_prefix_use():
            return self._prefix_operator(token, limit)
        return self._primary(), 0

    def _is_prefix_use(self) -> bool:
        after = self._tokens[self._index + 1]
        if self._is_call():
            return self._peek.text in ("not", "\\+")
        if after.kind in (Kind.NAME, Kind.VARIABLE, Kind.NUMBER, Kind.QUOTED):
            return after.kind is not Kind.NAME or after.text not in INFIX or after.text in PREFIX
        return after.text in ("(", "[", "{", "-", "+", "\\+", "!")

    def _is_call(self) -> bool:
        """Whether the current name is followed by its arguments, with nothing between."""
        token, after = self._tokens[self._index], self._tokens[self._index + 1]
        return after.text == "(" and after.start == token.end

    def _prefix_operator(self, token: Token, limit: int) -> tuple[Term, int]:
        self._index += 1
        precedence, operand_limit = PREFIX[token.text]
        if precedence > limit:
            precedence, operand_limit = limit, limit
        after = self._peek
        if token.text in "-+" and after.kind is Kind.NUMBER and after.start == token.end:
            number = self._number(after, negative=token.text == "-", start=token.start)
            return number, 0
        operand = self._term(operand_limit)
        span = Span(self._source, token.start, operand.span.end)
        name = "\\+" if token.text == "not" else token.text
        return Compound(name, (operand,), span), precedence

    def _primary(self) -> Term:
        token = self._peek
        match token.kind:
            case Kind.NUMBER:
                return self._number(token, negative=False, start=token.start)
            case Kind.VARIABLE:
                self._index += 1
                return Var(self._variable_name(token.text), Span(self._source, token.start, token.end))
            case Kind.NAME | Kind.QUOTED:
                return self._atom_or_call(token)
            case Kind.PUNCTUATION if token.text in _CLOSERS:
                return self._bracketed(token)
            case Kind.OPERATOR if token.text == "!" or self._is_call():
                return self._atom_or_call(token)
        self._fail_expecting_term(token)

    def _variable_name(self, text: str) -> str:
        if text != "_":
            return text
        self._anonymous += 1
        return f"{ANONYMOUS_PREFIX}{self._anonymous}"

    def _number(self, token: Token, *, negative: bool, start: int) -> Const:
        self._index += 1
        value = _read_number(f"-{token.text}" if negative else token.text)
        if value is None:
            self._fail(token, "this number is too large", "numbers must fit in 64 bits")
        return Const(value, Span(self._source, start, token.end))

    def _atom_or_call(self, token: Token) -> Term:
        is_call = self._is_call()
        self._index += 1
        name = unquote(token.text) if token.kind is Kind.QUOTED else token.text
        if not is_call:
            return Const(name, Span(self._source, token.start, token.end))
        opening = self._peek
        self._index += 1
        if self._peek.text == ")":
            self._fail(self._peek, f"{token.text}() has no arguments", f"write {token.text} without parentheses")
        args = self._items(opening)
        end = self._close(opening)
        if name in (",", ";"):
            args = _flatten(name, args)
        return Compound(name, args, Span(self._source, token.start, end))

    def _bracketed(self, opening: Token) -> Term:
        self._index += 1
        if opening.text == "[":
            return self._list(opening)
        if opening.text == "{":
            self._fail(opening, "braces have no meaning here", "use ( ) to group, [ ] for a list")
        self._open.append(opening)
        inner = self._term(CLAUSE)
        end = self._close(opening)
        self._open.pop()
        return replace(inner, span=Span(self._source, opening.start, end))

    def _list(self, opening: Token) -> ListTerm:
        if self._peek.text == "]" and self._peek.kind is Kind.PUNCTUATION:
            end = self._peek.end
            self._index += 1
            return ListTerm((), None, Span(self._source, opening.start, end))
        items = self._items(opening)
        tail: Term | None = None
        if self._peek.text == "|":
            self._index += 1
            tail = self._term(ARGUMENT)
        end = self._close(opening)
        if isinstance(tail, ListTerm):
            items, tail = (*items, *tail.items), tail.tail
        return ListTerm(items, tail, Span(self._source, opening.start, end))

    def _items(self, opening: Token) -> tuple[Term, ...]:
        self._open.append(opening)
        items = [self._term(ARGUMENT)]
        while self._peek.text == "," and self._peek.kind is Kind.PUNCTUATION:
            self._index += 1
            items.append(self._term(ARGUMENT))
        self._open.pop()
        return tuple(items)

    def _close(self, opening: Token) -> int:
        token = self._peek
        closer = _CLOSERS[opening.text]
        if token.text != closer or token.kind is not Kind.PUNCTUATION:
            self._open.append(opening)
            self._fail_expecting_closer(token, closer)
        self._index += 1
        return token.end

    # Complaints

    @property
    def _peek(self) -> Token:
        return self._tokens[self._index]

    def _cover(self, first: Term, last: Term) -> Span:
        return Span(self._source, first.span.start, last.span.end)

    def _fail(
        self, token: Token, message: str, hint: str, *, code: str = "HF001", label: Label | None = None
    ) -> NoReturn:
        # A stray character is already reported; what it does to the rest of its clause is not news.
        first = self._tokens[self._clause_start - 1].end if self._clause_start else 0
        if bisect_left(self._strays, first) == bisect_left(self._strays, token.end):
            span = Span(self._source, token.start, token.end)
            labels = (label,) if label else ()
            self.diagnostics.append(Diagnostic(code, Severity.ERROR, message, span, hint, labels))
        raise _SyntaxProblem

    def _fail_too_deep(self, token: Token) -> NoReturn:
        self._fail(token, "nested too deeply", "split the rule into smaller ones", code="HF005")

    def _fail_expecting_end(self, token: Token) -> NoReturn:
        previous = self._tokens[self._index - 1]
        if token.text in (")", "]", "}"):
            self._fail(token, f"this {token.text} closes nothing", "remove it, or open it earlier", code="HF004")
        first, second = self._tokens[self._clause_start : self._clause_start + 2]
        if is_comment_sign(first, second):
            self._fail(first._replace(end=second.end), "a clause cannot start with two dashes", "write % for a comment")
        if token.kind is Kind.EOF or self._starts_clause(token):
            self._fail(previous, "the clause does not end", "end it with a full stop", code="HF003")
        if token.text == ":-":
            self._fail_at_second_neck(token)
        self._fail_at_operator(previous, token)
        self._fail_at_operator(token, self._tokens[self._index + 1])
        self._fail_at_capital(previous, token)
        self._fail(token, f"unexpected {_show(token)} after a complete term", hint_between(previous, token))

    def _fail_at_second_neck(self, token: Token) -> NoReturn:
        for index in range(self._index - 1, self._clause_start, -1):
            previous = self._tokens[index - 1]
            if previous.text == "," and self._starts_clause(self._tokens[index]):
                self._fail(previous, "the clause does not end", "end it with a full stop, not a comma", code="HF003")
        self._fail(token, "a second :- in one clause", "end the rule before it with a full stop", code="HF003")

    def _fail_expecting_closer(self, token: Token, closer: str) -> NoReturn:
        previous = self._tokens[self._index - 1]
        opening = self._open[-1]
        label = Label(Span(self._source, opening.start, opening.end), "opened here")
        self._fail_at_operator(previous, token)
        self._fail_at_capital(previous, token)
        if token.kind in (Kind.END, Kind.EOF) or self._starts_clause(token) or token.text in (")", "]", "}", ":-"):
            message = f"expected {closer} before {_show(token)}"
            self._fail(token, message, self._hint_to_close(token, closer), code="HF004", label=label)
        self._fail(token, f"expected , or {closer}, found {_show(token)}", hint_between(previous, token), label=label)

    def _hint_to_close(self, token: Token, closer: str) -> str:
        if token.kind is Kind.END and self._is_dot_in_name(token):
            return "a full stop ends a clause; write names without dots"
        return f"close the bracket with {closer}"

    def _fail_expecting_term(self, token: Token) -> NoReturn:
        previous = self._tokens[self._index - 1] if self._index > self._clause_start else None
        if previous is not None:
            self._fail_at_operator(previous, token)
            if previous.text == "," and token.text == ",":
                self._fail(token, "two commas in a row", "remove one")
        if token.kind is Kind.END and previous is None:
            self._fail(token, "a full stop without a clause", "remove it")
        if previous is not None and self._starts_clause(token):
            self._fail(previous, "the clause does not end", f"write a full stop for the {previous.text}", code="HF003")
        message = f"expected a condition or a term, found {_show(token)}"
        self._fail(token, message, hint_for_term(previous, token))

    def _fail_at_operator(self, previous: Token, token: Token) -> None:
        before = self._tokens[self._clause_start : self._index]
        meant = mistaken_operator(previous, token, in_head=all(other.text != ":-" for other in before))
        if meant is not None:
            both = previous._replace(text=previous.text + token.text, end=token.end)
            self._fail(both, f"{both.text} is not an operator", f"did you mean {meant} ?")

    def _fail_at_capital(self, previous: Token, token: Token) -> None:
        meant = capital_name(previous, token)
        if meant is not None:
            message = f"{previous.text} starts with a capital letter, so it is a variable"
            self._fail(previous, message, f"write {meant}( for a name with arguments")


def _read_number(text: str) -> float | None:
    """The number written, or None if it is not among those that 64 bits can hold."""
    digits = text.lstrip("-")
    if not digits.isdigit():
        number = float(text)
        return number if math.isfinite(number) else None
    # Python refuses to read integers of thousands of digits; none of them is in range.
    value = int(text) if len(digits.lstrip("0")) < 20 else _LARGEST_NUMBER
    return value if -_LARGEST_NUMBER <= value < _LARGEST_NUMBER else None


def _height(term: Term) -> int:
    """The levels of a term, counted without recursion."""
    height, level = 0, [term]
    while level:
        height += 1
        level = [part for one in level for part in _parts(one)]
    return height


def _parts(term: Term) -> tuple[Term, ...]:
    match term:
        case Compound(args=args):
            return args
        case ListTerm(items=items, tail=tail):
            return items if tail is None else (*items, tail)
        case _:
            return ()


def _flatten(name: str, items: Sequence[Term]) -> tuple[Term, ...]:
    """One flat operand list. A `;` in parentheses stays a unit unless it comes last:
    `(C -> A ; B) ; D` is not `C -> A ; B ; D`.
    """
    flat: list[Term] = []
    for index, item in enumerate(items):
        opens = name == "," or index == len(items) - 1
        if opens and isinstance(item, Compound) and item.name == name:
            flat.extend(item.args)
        else:
            flat.append(item)
    return tuple(flat)


def _show(token: Token) -> str:
    if token.kind is Kind.EOF:
        return "the end of the file"
    if token.kind is Kind.END:
        return "the full stop"
    return token.text
