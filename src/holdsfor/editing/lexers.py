"""Pygments lexers for rule files, in documents and terminals."""

from __future__ import annotations

from typing import ClassVar

from pygments.lexer import RegexLexer, default, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace

from holdsfor.editing.occurrences import WORDS
from holdsfor.frontend.rtec.bodies import USAGE
from holdsfor.frontend.rtec.heads import HEAD_USAGE
from holdsfor.ir.calendar import USAGE as CALENDAR_USAGE
from holdsfor.ir.metric import BinaryOperator, UnaryOperator
from holdsfor.times import DURATION_WORDS

HEADS = tuple(sorted(HEAD_USAGE))
LANGUAGE = tuple(sorted({word for word in (*USAGE, *WORDS, "start", "end") if word.isidentifier()} - set(HEADS)))
OPERATORS = tuple(sorted((*map(str, UnaryOperator), *map(str, BinaryOperator))))
CALENDAR = tuple(sorted(CALENDAR_USAGE))
UNITS = tuple(sorted(DURATION_WORDS))

_COMMON = [
    (r"\s+", Whitespace),
    (r"%[^\n]*", Comment.Single),
    (r"/\*[\s\S]*?\*/", Comment.Multiline),
    (r"'(?:[^'\\\n]|''|\\.)*'|\"(?:[^\"\\\n]|\"\"|\\.)*\"", String),
]

_UNIT = [
    (r"[ \t]+(?=[^\W\d_])", Whitespace),
    (words(UNITS, suffix=r"\b(?!\()"), Number, "#pop"),
    default("#pop"),
]
"""A time unit after a number belongs to the number: `30 min`."""


class RulesLexer(RegexLexer):
    """Event descriptions in RTEC's language."""

    name = "RTEC rules"
    aliases: ClassVar[list[str]] = ["rtec", "holdsfor"]
    filenames: ClassVar[list[str]] = ["*.prolog", "*.rtec"]
    url = ""
    tokens: ClassVar[dict[str, list[object]]] = {
        "root": [
            *_COMMON,
            (r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?", Number, "after_number"),
            (r"[A-Z_À-ÖØ-Þ]\w*", Name.Variable),
            (words(HEADS, suffix=r"(?=\()"), Keyword.Declaration),
            (words((*LANGUAGE, "is"), suffix=r"\b"), Keyword),
            (words(CALENDAR, suffix=r"(?=\()"), Name.Builtin),
            (words(("true", "false"), suffix=r"\b"), Keyword.Constant),
            (r"\w+(?=\()", Name.Function),
            (r"\w+", Name),
            (r":-|->|\\\+|=:=|=\\=|\\==|\\=|@=<|@>=|@<|@>|==|=<|>=|\*\*|//|[-+*/^<>=:;!]", Operator),
            (r"[()\[\]{},|.]", Punctuation),
        ],
        "after_number": _UNIT,
    }


class MetricLexer(RegexLexer):
    """DatalogMTL rules and facts."""

    name = "DatalogMTL rules"
    aliases: ClassVar[list[str]] = ["dmtl", "datalogmtl"]
    filenames: ClassVar[list[str]] = ["*.dmtl"]
    url = ""
    tokens: ClassVar[dict[str, list[object]]] = {
        "root": [
            *_COMMON,
            (r"#[^\n]*", Comment.Single),
            (words(OPERATORS, suffix=r"\b"), Keyword),
            (words(("not", "Top", "count", "sum", "min", "max", "inf"), suffix=r"\b"), Keyword),
            (r"\d+(?:\.\d+)?(?:/\d+)?", Number, "after_number"),
            (r"\w+(?=\()", Name.Function),
            (r"[A-Z]\w*(?=\s*[,)])", Name.Variable),
            (r"\w+", Name),
            (r":-|!=|<=|>=|[-+*/<>=:@]", Operator),
            (r"[()\[\]{},|.]", Punctuation),
        ],
        "after_number": _UNIT,
    }
