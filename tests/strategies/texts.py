"""Random rule text: tokens in a row, real programs with mistakes in them, comments in odd places."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from functools import cache
from pathlib import Path

from hypothesis import strategies as st

from holdsfor.diagnostics import Source
from holdsfor.syntax.operators import INFIX, PREFIX
from holdsfor.syntax.tokens import Token, TokenKind, tokenize

ROOT = Path(__file__).parents[2]
VOCABULARY = [
    *sorted({*INFIX, *PREFIX}),
    *"( ) [ ] { } , | ! .".split(),
    *"a b true fail f( g( X Y T _ _U 0 7 2.5 1e3 1.0e-7 99999999999999999999 'q r' 'it''s' \"d\" '' '\\n' ''' \"".split(),
    *"happensAt( holdsAt( holdsFor( initiatedAt( terminatedAt( initially( union_all( allen( findall( fi( p(".split(),
    *["30 min", "1.5h", " s", "5 m", ":- time_unit(s).", ":- time_zone('Europe/Athens').", "hour(", "business_hours("],
    *"initiates( grounding( before( source member( queryTime( intDurGreater( start( end( =true seq( [] ".split(),
    *"≤ ¬ ² ٣ \ufeff \x00 % /* */ \\ é".split(),
]
GAPS = ["", "", "", " ", " ", "\n", "\n    ", "\t", "\r\n", " % note\n", " /* note */ "]

token_texts: st.SearchStrategy[str] = st.lists(
    st.tuples(st.sampled_from(VOCABULARY), st.sampled_from(GAPS)), max_size=40
).map(lambda parts: "".join(token + gap for token, gap in parts))
"""Tokens in a row, mostly nonsense."""


# Clauses that are well formed, and mostly meaningless

BUILT_IN = (
    "happensAt holdsAt holdsFor initiatedAt terminatedAt initiates terminates initially fi ft p grounding points "
    "dynamicDomain index union_all intersect_all complement_all relative_complement_all seq allen before meets during "
    "intDurGreater intDurLess diamond_minus hour weekday date time_of_day business_hours findall start end is not dynamic member length queryTime '->' ';' ',' '\\\\+' '|' ':-' -"
).split()
_leaf_texts = st.sampled_from(["30 min", "[0,5 min]", "1e3 ms", "-1.5h"]) | st.sampled_from(
    "a b f X Y T I I1 _ _ _U 0 -1 - 2.5 1e3 [] [I] [I|L] 'q r' \"d\" true false inf source before a=b f(X)=V !".split()
)
_functors = st.sampled_from(["f", "g", "'q r'", *BUILT_IN])


def _larger_text(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    operators = st.sampled_from(sorted(INFIX))
    prefixes = st.sampled_from(sorted(PREFIX))
    return st.one_of(
        st.builds(lambda name, args: f"{name}({', '.join(args)})", _functors, st.lists(inner, min_size=1, max_size=4)),
        st.builds(lambda left, name, right: f"{left} {name} {right}", inner, operators, inner),
        st.builds(lambda left, name, right: f"({left} {name} {right})", inner, operators, inner),
        st.builds(lambda name, operand: f"{name} {operand}", prefixes, inner),
        st.builds(lambda one, two, three: f"({one} -> {two} ; {three})", inner, inner, inner),
        st.builds(lambda items: f"[{', '.join(items)}]", st.lists(inner, max_size=3)),
    )


_term_texts = st.recursive(_leaf_texts, _larger_text, max_leaves=6)


@st.composite
def clause_texts(draw: st.DrawFn) -> str:
    """Clauses whose goals and heads are built-in predicates with any arguments, operators, or neither."""
    clauses = []
    for _ in range(draw(st.integers(1, 3))):
        head, body = draw(_term_texts), draw(st.lists(_term_texts, max_size=3))
        clauses.append(f"{head} :- {', '.join(body)}." if body else f"{head}.")
    return "\n".join(clauses)


@cache
def real_programs() -> tuple[str, ...]:
    """The texts of the examples and of the conformance cases."""
    found = [*ROOT.glob("examples/*/*.prolog"), *ROOT.glob("tests/conformance/rtec/cases/*/rules.prolog")]
    return tuple(path.read_text(encoding="utf-8") for path in sorted(found))


# Mistakes


def _pieces(text: str, unit: str) -> list[str]:
    """The text cut into characters, tokens (with the gaps between them) or lines."""
    if unit == "character":
        return list(text)
    if unit == "line":
        return text.splitlines(keepends=True)
    cuts = sorted({0, len(text), *(edge for token in tokenize(Source("", text)).tokens for edge in token[2:])})
    return [text[start:end] for start, end in itertools.pairwise(cuts)]


def _delete(pieces: list[str], one: int, other: int) -> None:
    del other, pieces[one]


def _duplicate(pieces: list[str], one: int, other: int) -> None:
    pieces.insert(other, pieces[one])


def _swap(pieces: list[str], one: int, other: int) -> None:
    pieces[one], pieces[other] = pieces[other], pieces[one]


MUTATIONS: list[Callable[[list[str], int, int], None]] = [_delete, _duplicate, _swap]


@st.composite
def mutated_programs(draw: st.DrawFn) -> str:
    """A few clauses of a real program with up to four mistakes."""
    clauses = draw(st.sampled_from(real_programs())).split("\n\n")
    first = draw(st.integers(0, len(clauses) - 1))
    text = "\n\n".join(clauses[first : first + draw(st.integers(1, 8))])
    for _ in range(draw(st.integers(1, 4))):
        pieces = _pieces(text, draw(st.sampled_from(["character", "token", "token", "line"])))
        if not pieces:
            break
        places = st.integers(0, len(pieces) - 1)
        if draw(st.booleans()):
            draw(st.sampled_from(MUTATIONS))(pieces, draw(places), draw(places))
        else:
            pieces.insert(draw(places), draw(st.sampled_from(VOCABULARY) | st.characters()))
        text = "".join(pieces)
    return text


# Comments

_inline = st.text(st.characters(exclude_characters="\n", exclude_categories=["Cs"]), max_size=8).map("%{}\n".format)
_block = st.text(max_size=12).filter(lambda text: "*/" not in f"{text}*/"[:-1]).map("/*{}*/".format)
comments = st.one_of(st.sampled_from(["% why\n", "%\n", "/* why */", "/* two\n   lines */", "/**/"]), _inline, _block)


@st.composite
def with_comments(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> str:
    """A text with comments between some of its tokens, and some of its line breaks moved."""
    text = draw(texts)
    tokens = tokenize(Source("", text)).tokens
    parts: list[str] = []
    previous = Token(TokenKind.EOF, "", 0, 0)
    for token in tokens:
        gap = text[previous.end : token.start]
        if not _clings(previous, token):
            gap += draw(st.sampled_from(["", "", " ", "\n", "\n\n"]))
            gap += "".join(f" {one}" for one in draw(st.lists(comments, max_size=2))) if draw(st.booleans()) else ""
        parts += [gap, token.text]
        previous = token
    return "".join(parts)


def _clings(previous: Token, token: Token) -> bool:
    """Whether a gap between two tokens would change what they mean: `f(`, `-1`."""
    if previous.end != token.start or previous.kind is TokenKind.EOF:
        return False
    return token.text == "(" or (previous.text in ("-", "+") and token.kind is TokenKind.NUMBER)
