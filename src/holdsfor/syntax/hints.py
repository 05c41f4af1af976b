"""What the author of rule text probably meant where the parser cannot go on."""

from __future__ import annotations

from holdsfor.syntax.tokens import Kind, Token

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
"""Two operators in a row that people write for another one."""
_ARROWS = {(":", "="), ("<", "-"), (":", ":"), ("<", "--")}
_WORDS = {"if": ":-", "when": ":-", "and": ",", "or": ";", "then": ",", "where": ","}


def mistaken_operator(first: Token, second: Token, *, in_head: bool) -> str | None:
    """The operator that was meant by two that stand next to each other."""
    if first.end != second.start:
        return None
    pair = (first.text, second.text)
    if pair in _ARROWS:
        return ":-" if in_head else "= or is"
    return _MISTAKEN_OPERATORS.get(pair)


def capital_name(previous: Token, token: Token) -> str | None:
    """The name that was meant by a variable with arguments."""
    if token.text != "(" or token.start != previous.end or previous.kind is not Kind.VARIABLE:
        return None
    bare = previous.text.lstrip("_")
    return bare[:1].lower() + bare[1:] or None


def hint_between(previous: Token, token: Token) -> str:
    """What may be missing between two tokens."""
    adjacent = previous.end == token.start
    if token.text == "(" and previous.kind is Kind.NAME:
        return f"write {previous.text}( without a space before the bracket"
    if token.text == "[" and previous.kind is Kind.NAME and adjacent:
        return f"write {previous.text}( with a round bracket"
    if previous.text == "!" and token.kind is Kind.NAME and adjacent:
        return f"write \\+ {token.text} for a negation"
    if token.text in _WORDS:
        return f"write {_WORDS[token.text]} for {token.text}"
    if token.kind in (Kind.NAME, Kind.VARIABLE, Kind.NUMBER, Kind.QUOTED):
        return f"is a comma missing before {token.text}?"
    return "is a comma or an operator missing before it?"


def hint_for_term(previous: Token | None, token: Token) -> str:
    """What to do about a token that cannot start a term. Without `previous` it is the first of its clause."""
    if previous is None:
        return "write % for a comment" if token.text in ("//", "*", "--") else "a clause starts with a name"
    if token.kind in (Kind.END, Kind.EOF):
        return f"remove the {previous.text} before it, or complete the rule"
    if previous.text == "," and token.text in (")", "]"):
        return "remove the comma before it"
    return "a term starts with a name, a variable, a number, ( or ["


def is_comment_sign(first: Token, second: Token) -> bool:
    """Whether a clause starts with what is a comment in another language."""
    return (first.text, second.text) == ("-", "-") and first.end == second.start
