"""Hints for syntax errors."""

from __future__ import annotations

from difflib import get_close_matches
from typing import NamedTuple

from holdsfor.diagnostics import Fix, Source, Span
from holdsfor.syntax.durations import duration_text, read_duration
from holdsfor.syntax.tokens import Token, TokenKind
from holdsfor.times import DURATION_WORDS, UNCLEAR_UNITS

_MISTAKEN_OPERATORS = {
    ("=", ">"): ">=",
    ("<", "="): "=<",
    ("!", "="): "\\=",
    ("!", "=="): "\\==",
    ("=", "!"): "\\=",
    ("<", ">"): "\\=",
    ("/", "="): "\\=",
    ("==", "="): "==",
    ("|", "|"): ";",
    ("=:=", "="): "=:=",
}
"""Pairs of adjacent operators that are written for another one."""
_ARROWS = {(":", "="), ("<", "-"), (":", ":"), ("<", "--")}
_WORDS = {"if": ":-", "when": ":-", "and": ",", "or": ";", "then": ",", "where": ","}


class Advice(NamedTuple):
    """A hint, and if there is exactly one correction, the text to write between two offsets."""

    hint: str
    start: int = 0
    end: int = 0
    replacement: str | None = None

    def fix(self, source: Source) -> Fix | None:
        """The correction, if there is exactly one."""
        return None if self.replacement is None else Fix(Span(source, self.start, self.end), self.replacement)


def mistaken_operator(first: Token, second: Token, *, in_head: bool) -> str | None:
    """The intended operator of two adjacent ones."""
    if first.end != second.start:
        return None
    pair = (first.text, second.text)
    if pair in _ARROWS:
        return ":-" if in_head else "= or is"
    return _MISTAKEN_OPERATORS.get(pair)


def capital_name(previous: Token, token: Token) -> str | None:
    """The intended name of a variable with arguments."""
    if token.text != "(" or token.start != previous.end or previous.kind is not TokenKind.VARIABLE:
        return None
    bare = previous.text.lstrip("_")
    return bare[:1].lower() + bare[1:] or None


def advice_between(previous: Token, token: Token) -> Advice:
    """The hint for two tokens with something missing between them."""
    adjacent = previous.end == token.start
    if token.text == "(" and previous.kind is TokenKind.NAME:
        hint = f"write {previous.text}( without a space before the bracket"
        return Advice(hint, previous.end, token.start, "")
    if token.text == "[" and previous.kind is TokenKind.NAME and adjacent:
        return Advice(f"write {previous.text}( with a round bracket")
    if previous.text == "!" and token.kind is TokenKind.NAME and adjacent:
        return Advice(f"write \\+ {token.text} for a negation", previous.start, token.start, "\\+ ")
    if token.text in _WORDS:
        hint, written = f"write {_WORDS[token.text]} for {token.text}", _WORDS[token.text]
        # A comma stands at the word before it.
        return Advice(hint, previous.end if written == "," else token.start, token.end, written)
    if previous.kind is TokenKind.NUMBER and token.kind in (TokenKind.NAME, TokenKind.VARIABLE):
        glued = read_duration(f"{previous.text}{token.text}") if adjacent else None
        if glued is not None:
            written = duration_text(glued)
            return Advice(f"write {written}", previous.start, token.end, written)
        meant = unit_meant(token.text)
        if meant is not None:
            return Advice(meant.hint, token.start, token.end, meant.unit)
    if token.kind in (TokenKind.NAME, TokenKind.VARIABLE, TokenKind.NUMBER, TokenKind.QUOTED):
        comma = ", " if adjacent else ","
        return Advice(f"is a comma missing before {token.text}?", previous.end, previous.end, comma)
    return Advice("is a comma or an operator missing before it?")


class MeantUnit(NamedTuple):
    """The message for a word behind a number that may be a unit of time, and the unit if it is clear."""

    hint: str
    unit: str | None = None


def unit_meant(word: str) -> MeantUnit | None:
    """The intended unit of a word behind a number, if any.

    >>> unit_meant("Mins"), unit_meant("m"), unit_meant("in")
    (MeantUnit(hint='did you mean mins?', unit='mins'), MeantUnit(hint='m may be minutes or months; write min', unit=None), None)
    >>> unit_meant("mn"), unit_meant("front")
    (MeantUnit(hint='did you mean min?', unit='min'), None)
    """
    unclear = UNCLEAR_UNITS.get(word.lower())
    if unclear is not None:
        return MeantUnit(unclear.replace('"', ""))
    close = get_close_matches(word.lower(), sorted(DURATION_WORDS), 1, 0.75)
    # Of short words, the first letter has to be the same: `in` is not meant for `min`.
    if not close or (len(word) <= 2 and close[0][0] != word[0].lower()):
        return None
    return MeantUnit(f"did you mean {close[0]}?", close[0])


def advice_for_term(previous: Token | None, token: Token) -> Advice:
    """The hint for a token that cannot start a term. Without `previous`, it is the first of its clause."""
    if previous is None:
        if token.text in ("//", "*", "--"):
            return Advice("write % for a comment", token.start, token.end, "%")
        return Advice("a clause starts with a name")
    if token.kind in (TokenKind.END, TokenKind.EOF):
        return Advice(f"remove the {previous.text} before it, or complete the rule")
    if previous.text == "," and token.text in (")", "]"):
        return Advice("remove the comma before it", previous.start, previous.end, "")
    return Advice("a term starts with a name, a variable, a number, ( or [")


def is_comment_sign(first: Token, second: Token) -> bool:
    """Whether a clause starts with a comment sign of another language."""
    return (first.text, second.text) == ("-", "-") and first.end == second.start
