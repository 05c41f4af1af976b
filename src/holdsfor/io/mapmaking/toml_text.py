"""Formats text, keys and comments in TOML."""

from __future__ import annotations

import re

_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_LONGEST_COMMENT = 300


def text(value: str) -> str:
    r"""A string.

    >>> print(text('say "x"'), text("a\tb"))
    "say \"x\"" "a\tb"
    """
    return f'"{"".join(map(_escaped, value))}"'


def key(name: str) -> str:
    """A key, in quotes where it needs them.

    >>> print(key("log_in"), key("log in"))
    log_in "log in"
    """
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else text(name)


def comment(remark: str) -> str:
    """A comment on one line, for any text from the data."""
    plain = "".join(character if character.isprintable() else " " for character in remark)
    return f"# {plain}" if len(plain) <= _LONGEST_COMMENT else f"# {plain[:_LONGEST_COMMENT]}…"


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    return f"\\u{ord(character):04x}" if ord(character) < 32 or ord(character) == 127 else character
