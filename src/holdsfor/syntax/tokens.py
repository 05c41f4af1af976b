"""The tokenizer for Prolog-like rule text: one regular expression, exact offsets."""

from __future__ import annotations

import re
from enum import IntEnum
from typing import NamedTuple

from holdsfor.diagnostics import Diagnostic, Fix, Severity, Source, Span


class TokenKind(IntEnum):
    """The kinds of tokens."""

    NAME = 1
    VARIABLE = 2
    NUMBER = 3
    QUOTED = 4
    OPERATOR = 5
    PUNCTUATION = 6
    END = 7
    EOF = 8


class Token(NamedTuple):
    """A token with its text and character offsets."""

    kind: TokenKind
    text: str
    start: int
    end: int


class Comment(NamedTuple):
    """A comment, kept for the formatter."""

    text: str
    start: int
    end: int


class Tokens(NamedTuple):
    """Everything the tokenizer found."""

    tokens: list[Token]
    comments: list[Comment]
    diagnostics: list[Diagnostic]


_PATTERN = re.compile(
    r"""
    \s*(?:
    (?P<comment>%[^\n]*|/\*.*?\*/)
  | (?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)
  | (?P<word>[^\W\d]\w*|_\w*)
  | (?P<quoted>'(?:[^'\\\n]|''|\\x[0-9a-fA-F]+\\|\\.)*'|"(?:[^"\\\n]|""|\\x[0-9a-fA-F]+\\|\\.)*")
  | (?P<operator>:-|-->|->|\\\+|=\.\.|=:=|=\\=|\\==|\\=|@=<|@>=|@<|@>|==|=<|>=|\*\*|//|/(?!\*)|[-+*^<>=:;!])
  | (?P<end>\.)
  | (?P<punctuation>[()\[\]{},|])
    ) | \s+
    """,
    re.VERBOSE | re.DOTALL,
)

_KINDS = {
    "number": TokenKind.NUMBER,
    "operator": TokenKind.OPERATOR,
    "end": TokenKind.END,
    "punctuation": TokenKind.PUNCTUATION,
    "quoted": TokenKind.QUOTED,
}

_BYTE_ORDER_MARK = "\ufeff"
_CLOSING_QUOTES = {"‘": "’", "“": "”"}
_LOOKALIKES = {
    "≤": "=<",
    "≥": ">=",
    "≠": "\\=",
    "←": ":-",
    "→": "->",
    "¬": "\\+",
    "∧": ",",
    "∨": ";",
    "&": ",",
    "~": "\\+",
    "#": "% for a comment",
    "’": "'",
    "‘": "'",
    "“": "'",
    "”": "'",
    "…": "_",
    "×": "*",
    "÷": "/",
    "−": "-",
    "–": "-",
}


def tokenize(source: Source) -> Tokens:
    """Split a source into tokens, comments and findings about stray characters.

    >>> [t.text for t in tokenize(Source("f", "a(X) :- b. % c")).tokens]
    ['a', '(', 'X', ')', ':-', 'b', '.', '']
    """
    text = source.text
    tokens: list[Token] = []
    append = tokens.append
    comments: list[Comment] = []
    diagnostics: list[Diagnostic] = []
    position, length, match_at = len(text) - len(text.removeprefix(_BYTE_ORDER_MARK)), len(text), _PATTERN.match
    while position < length:
        match = match_at(text, position)
        if match is None:
            position = _stray(source, position, diagnostics)
            continue
        position = match.end()
        group = match.lastgroup
        if group is None:
            continue
        start = match.start(group)
        found = text[start:position]
        if group == "word":
            is_variable = found[0] == "_" or found[0].isupper()
            append(Token(TokenKind.VARIABLE if is_variable else TokenKind.NAME, found, start, position))
        elif group == "comment":
            comments.append(Comment(found, start, position))
        else:
            append(Token(_KINDS[group], found, start, position))
    tokens.append(Token(TokenKind.EOF, "", length, length))
    return Tokens(tokens, comments, diagnostics)


def _stray(source: Source, position: int, diagnostics: list[Diagnostic]) -> int:
    """Reports characters that cannot start a token; returns where to continue."""
    char = source.text[position]
    replacement: str | None = None
    if char in "'\"":
        line_end = source.text.find("\n", position)
        stop = line_end if line_end >= 0 else len(source.text)
        message, hint = "this quote is never closed", f"close it with {char} on the same line"
    elif source.text.startswith("/*", position):
        stop = len(source.text)
        message, hint = "this comment is never closed", "close it with */"
    else:
        stop = position + 1
        closing = source.text.find(_CLOSING_QUOTES.get(char, char), stop)
        if char in _CLOSING_QUOTES and "\n" not in source.text[stop : closing + 1]:
            stop = max(stop, closing + 1)
        in_quotes = stop > position + 1
        while source.text.startswith(char, stop):
            stop += 1
        shown = f"'{char}'" if char.isprintable() else f"U+{ord(char):04X}"
        message = f"unexpected character {shown}"
        alternative = _LOOKALIKES.get(char)
        hint = f"write {alternative}" if alternative else "remove it, or quote the name it belongs to"
        hint = hint if char.isprintable() else "remove it"
        if in_quotes:
            replacement = f"'{source.text[position + 1 : stop - 1]}'"
        elif alternative != "'":
            replacement = "%" if char == "#" else alternative if char.isprintable() else ""
    span = Span(source, position, stop)
    fix = None if replacement is None else Fix(span, replacement)
    if not any(_is_repeated(span, message, other) for other in diagnostics[-1:]):
        diagnostics.append(Diagnostic("HF002", Severity.ERROR, message, span, hint, fix=fix))
    return stop


def _is_repeated(span: Span, message: str, other: Diagnostic) -> bool:
    """Whether a finding repeats the last one on the same line, as for the second of a pair of quotes."""
    return other.message == message and "\n" not in span.source.text[other.span.end : span.start]


_ESCAPES = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "a": "\a",
    "b": "\b",
    "0": "\0",
    "e": "\x1b",
}
_ESCAPE_PATTERN = re.compile(r"\\x([0-9a-fA-F]{1,8})\\|\\(\n|.)|''|\"\"", re.DOTALL)


def unquote(text: str) -> str:
    """The name inside a quoted token.

    >>> unquote("'it''s'"), unquote(r"'a\\nb'")
    ("it's", 'a\\nb')
    """
    quote, inner = text[0], text[1:-1]
    if "\\" not in inner and quote not in inner:
        return inner

    def replace(match: re.Match[str]) -> str:
        found = match.group()
        if found in ("''", '""'):
            return quote if found[0] == quote else found
        if match.group(1) is not None:
            code = int(match.group(1), 16)
            return chr(code) if code < 0xD800 or 0xE000 <= code <= 0x10FFFF else "\N{REPLACEMENT CHARACTER}"
        escaped = match.group(2)
        return "" if escaped == "\n" else _ESCAPES.get(escaped, escaped)

    return _ESCAPE_PATTERN.sub(replace, inner)
