"""Generates TextMate grammars for editors, from the same keywords as the Pygments lexers."""

from __future__ import annotations

import json
import re

from holdsfor.editing.lexers import CALENDAR, HEADS, LANGUAGE, OPERATORS, UNITS

_COMMON = [
    {"name": "comment.line.percentage", "match": "%.*$"},
    {"name": "comment.block", "begin": r"/\*", "end": r"\*/"},
    {"name": "string.quoted.single", "match": r"'(?:[^'\\]|''|\\.)*'"},
    {"name": "string.quoted.double", "match": r'"(?:[^"\\]|""|\\.)*"'},
]


def textmate_grammar(language: str) -> str:
    """The grammar of `rtec` or `dmtl` as JSON."""
    made = {"rtec": _rtec, "dmtl": _metric}[language]()
    return json.dumps(made, indent=2, ensure_ascii=False)


def _rtec() -> dict[str, object]:
    patterns = [
        *_COMMON,
        {"name": "keyword.control.head", "match": rf"\b(?:{_any(HEADS)})(?=\()"},
        {"name": "keyword.other", "match": rf"\b(?:{_any(LANGUAGE)}|is)\b"},
        {"name": "support.function.calendar", "match": rf"\b(?:{_any(CALENDAR)})(?=\()"},
        {"name": "constant.language", "match": r"\b(?:true|false)\b"},
        _duration(r"\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?"),
        {"name": "constant.numeric", "match": r"\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b"},
        {"name": "variable.parameter", "match": r"\b[A-Z_]\w*"},
        {"name": "entity.name.function", "match": r"\b[a-z]\w*(?=\()"},
        {"name": "keyword.operator", "match": r":-|->|\\\+|=:=|=\\=|\\==|\\=|=<|>=|[-+*/<>=;]"},
    ]
    return {"name": "RTEC rules", "scopeName": "source.rtec", "fileTypes": ["prolog", "rtec"], "patterns": patterns}


def _metric() -> dict[str, object]:
    patterns = [
        *_COMMON,
        {"name": "comment.line.number-sign", "match": "#.*$"},
        {"name": "keyword.other.operator", "match": rf"\b(?:{_any(OPERATORS)})\b"},
        _duration(r"\b\d+(?:\.\d+)?"),
        {"name": "keyword.control", "match": r"\b(?:not|Top|count|sum|min|max|inf)\b"},
        {"name": "constant.numeric", "match": r"\b\d+(?:\.\d+)?(?:/\d+)?\b"},
        {"name": "entity.name.function", "match": r"\b\w+(?=\()"},
        {"name": "variable.parameter", "match": r"\b[A-Z]\w*(?=\s*[,)])"},
        {"name": "keyword.operator", "match": r":-|!=|<=|>=|[-+*/<>=@]"},
    ]
    return {"name": "DatalogMTL rules", "scopeName": "source.dmtl", "fileTypes": ["dmtl"], "patterns": patterns}


def _duration(number: str) -> dict[str, object]:
    """A number with a time unit: `30 min`."""
    captures = {"1": {"name": "constant.numeric"}, "2": {"name": "keyword.other.unit"}}
    return {"match": rf"({number})[ \t]*({_any(UNITS)})\b(?!\()", "captures": captures}


def _any(words: tuple[str, ...]) -> str:
    return "|".join(map(re.escape, words))
