"""A Pratt parser. It continues after an error, and reports all errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace

from holdsfor.diagnostics import Diagnostic, Source, Span
from holdsfor.records import record
from holdsfor.syntax.durations import duration_term, is_sensible
from holdsfor.syntax.hints import Advice
from holdsfor.syntax.numbers import read_number
from holdsfor.syntax.operators import ARGUMENT, CLAUSE, INFIX, PREFIX
from holdsfor.syntax.parser_base import ParserBase, SyntaxProblem
from holdsfor.syntax.terms import ANONYMOUS_PREFIX, Clause, Compound, Const, ListTerm, Term, Var
from holdsfor.syntax.tokens import Comment, Token, TokenKind, tokenize, unquote
from holdsfor.times import DURATION_WORDS

MAX_DEPTH = 100
_ARGUMENT_ENDS = frozenset({",", ")", "]"})
_CLOSERS = {"(": ")", "[": "]", "{": "}"}
_FLAT = {",": (",",), ";": (";", "|"), "|": (";", "|")}
"""Operators whose chains are flat terms, and the operators that continue a chain."""


@record
class Parsed:
    """The clauses of a source, its comments and findings."""

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


class _Parser(ParserBase):
    def __init__(self, source: Source, tokens: list[Token], strays: list[int]) -> None:
        super().__init__(source, tokens, strays)
        self._depth = 0
        self._anonymous = 0
        self._chained = 0

    # Clauses

    def clauses(self) -> list[Clause]:
        found: list[Clause] = []
        while self._peek.kind is not TokenKind.EOF:
            self._clause_start, self._anonymous, self._depth, self._chained = self._index, 0, 0, 0
            self._open.clear()
            try:
                found.append(self._clause())
            except SyntaxProblem:
                self._recover()
        return found

    def _clause(self) -> Clause:
        first = self._peek
        term = self._term(CLAUSE)
        end = self._peek
        if end.kind is not TokenKind.END:
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
        """Skips to the next clause: past a full stop, or to a line that starts a new one."""
        if self._index == self._clause_start:
            self._index += 1
        while self._peek.kind is not TokenKind.EOF:
            token = self._peek
            if token.kind is TokenKind.END and not self._is_dot_in_name(token):
                self._index += 1
                return
            if self._starts_clause(token) and self._index > self._clause_start:
                return
            self._index += 1

    # Terms

    def _term(self, limit: int) -> Term:
        if limit <= ARGUMENT and (simple := self._simple_argument()) is not None:
            return simple
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

    def _simple_argument(self) -> Term | None:
        """A variable or a name directly before a comma or a bracket: a short cut for half of all terms."""
        token = self._tokens[self._index]
        if token.kind > TokenKind.VARIABLE or self._tokens[self._index + 1].text not in _ARGUMENT_ENDS:
            return None
        text = token.text
        if token.kind is TokenKind.NAME:
            if text in PREFIX or text in INFIX:
                return None
            self._index += 1
            return Const(text, Span(self._source, token.start, token.end))
        self._index += 1
        return Var(self._variable_name(text), Span(self._source, token.start, token.end))

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
        return Compound(name, flatten(name, items), self._cover(items[0], items[-1]))

    def _combine(self, operator: str, left: Term, right: Term) -> Term:
        span = self._cover(left, right)
        if operator in _FLAT:
            name = _FLAT[operator][0]
            return Compound(name, flatten(name, [left, right]), span)
        self._chained += 1
        return Compound(operator, (left, right), span)

    def _infix_name(self) -> str | None:
        token = self._peek
        text = token.text
        return text if text in INFIX and token.kind is not TokenKind.QUOTED else None

    def _prefix(self, limit: int) -> tuple[Term, int]:
        token = self._peek
        if token.text in PREFIX and token.kind in (TokenKind.OPERATOR, TokenKind.NAME) and self._is_prefix_use():
            return self._prefix_operator(token, limit)
        return self._primary(), 0

    def _is_prefix_use(self) -> bool:
        after = self._tokens[self._index + 1]
        if self._is_call():
            return self._peek.text in ("not", "\\+")
        if after.kind in (TokenKind.NAME, TokenKind.VARIABLE, TokenKind.NUMBER, TokenKind.QUOTED):
            return after.kind is not TokenKind.NAME or after.text not in INFIX or after.text in PREFIX
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
        if token.text in "-+" and after.kind is TokenKind.NUMBER and after.start == token.end:
            number = self._number(after, negative=token.text == "-", start=token.start)
            return number, 0
        operand = self._term(operand_limit)
        span = Span(self._source, token.start, operand.span.end)
        name = "\\+" if token.text == "not" else token.text
        return Compound(name, (operand,), span), precedence

    def _primary(self) -> Term:
        token = self._peek
        match token.kind:
            case TokenKind.NUMBER:
                return self._number(token, negative=False, start=token.start)
            case TokenKind.VARIABLE:
                self._index += 1
                return Var(self._variable_name(token.text), Span(self._source, token.start, token.end))
            case TokenKind.NAME | TokenKind.QUOTED:
                return self._atom_or_call(token)
            case TokenKind.PUNCTUATION if token.text in _CLOSERS:
                return self._bracketed(token)
            case TokenKind.OPERATOR if token.text == "!" or self._is_call():
                return self._atom_or_call(token)
        self._fail_expecting_term(token)

    def _variable_name(self, text: str) -> str:
        if text != "_":
            return text
        self._anonymous += 1
        return f"{ANONYMOUS_PREFIX}{self._anonymous}"

    def _number(self, token: Token, *, negative: bool, start: int) -> Const | Compound:
        self._index += 1
        if self._peek.kind is TokenKind.NAME and self._is_unit():
            return self._duration(token, negative=negative, start=start)
        value = read_number(f"-{token.text}" if negative else token.text)
        if value is None:
            self._fail(token, "this number is too large", "numbers with a fraction or an exponent must fit in 64 bits")
        return Const(value, Span(self._source, start, token.end))

    def _is_unit(self) -> bool:
        # A word on a line of its own before :- is the head of the next clause, and a full stop is missing.
        is_head = self._starts_clause(self._peek) and self._tokens[self._index + 1].text == ":-" and not self._open
        return self._peek.text in DURATION_WORDS and not self._is_call() and not is_head

    def _duration(self, token: Token, *, negative: bool, start: int) -> Compound:
        """One or more numbers with a unit: `30 min`, `1 h 30 min`."""
        parts = []
        while True:
            if not is_sensible(token.text):
                self._fail(token, "this number is too long for a duration", "write it with another unit")
            unit = self._peek
            parts.append((token.text, unit.text))
            self._index += 1
            token = self._peek
            if token.kind is not TokenKind.NUMBER:
                break
            self._index += 1
            if self._peek.kind is not TokenKind.NAME or not self._is_unit():
                self._index -= 1
                break
        if negative:
            parts[0] = (f"-{parts[0][0]}", parts[0][1])
        return duration_term(parts, Span(self._source, start, unit.end))

    def _atom_or_call(self, token: Token) -> Term:
        is_call = self._is_call()
        self._index += 1
        name = unquote(token.text) if token.kind is TokenKind.QUOTED else token.text
        if not is_call:
            return Const(name, Span(self._source, token.start, token.end))
        opening = self._peek
        self._index += 1
        if self._peek.text == ")":
            advice = Advice(f"write {token.text} without parentheses", token.end, self._peek.end, "")
            self._fail(self._peek, f"{token.text}() has no arguments", advice)
        args = self._items(opening)
        end = self._close(opening)
        if name in (",", ";"):
            args = flatten(name, args)
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
        if self._peek.text == "]" and self._peek.kind is TokenKind.PUNCTUATION:
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
        while self._peek.text == "," and self._peek.kind is TokenKind.PUNCTUATION:
            self._index += 1
            items.append(self._term(ARGUMENT))
        self._open.pop()
        return tuple(items)

    def _close(self, opening: Token) -> int:
        token = self._peek
        closer = _CLOSERS[opening.text]
        if token.text != closer or token.kind is not TokenKind.PUNCTUATION:
            self._open.append(opening)
            self._fail_expecting_closer(token, closer)
        self._index += 1
        return token.end

    def _cover(self, first: Term, last: Term) -> Span:
        return Span(self._source, first.span.start, last.span.end)


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


def flatten(name: str, items: Sequence[Term]) -> tuple[Term, ...]:
    """A flat list of operands. `(C -> A ; B) ; D` stays nested: it is not `C -> A ; B ; D`."""
    flat: list[Term] = []
    for index, item in enumerate(items):
        opens = name == "," or index == len(items) - 1
        if opens and isinstance(item, Compound) and item.name == name:
            flat.extend(item.args)
        else:
            flat.append(item)
    return tuple(flat)
