"""Proposes completions for the beginning of a word."""

from __future__ import annotations

import re
from dataclasses import dataclass

from holdsfor.editing.hovering import keyword_help
from holdsfor.editing.occurrences import NameKind
from holdsfor.editing.project import Document
from holdsfor.ir.metric import BinaryOperator, UnaryOperator

_WORD = re.compile(r"[\w]*$")


@dataclass(frozen=True)
class Proposal:
    """A possible word and its kind."""

    text: str
    detail: str


def proposals(document: Document, offset: int) -> list[Proposal]:
    """Words that start with the text before a position: names of the program, variables of the clause, keywords."""
    text = document.source.text
    found = _WORD.search(text[:offset])
    begun = found[0] if found else ""
    start = offset - len(begun)
    clause = text.count("\n", 0, text.rfind("\n\n", 0, offset) + 1), text.count("\n", 0, offset)
    offered: dict[str, str] = {}
    for one in document.all_names:
        in_this_file = one.span.source.name == document.source.name
        is_here = in_this_file and one.span.start == start
        is_near = one.kind is not NameKind.VARIABLE or (in_this_file and clause[0] <= one.span.line - 1 <= clause[1])
        if not is_here and is_near and one.kind is not NameKind.WORD:
            offered.setdefault(one.name, str(one.kind) if one.kind is NameKind.VARIABLE else f"{one.kind}/{one.arity}")
    for word, usage in _language(document).items():
        offered.setdefault(word, usage)
    return [
        Proposal(word, detail) for word, detail in sorted(offered.items()) if word.startswith(begun) and word != begun
    ]


def _language(document: Document) -> dict[str, str]:
    if document.is_metric:
        return {**{str(one): f"{one}[a,b] P(X)" for one in UnaryOperator}, **{str(one): "" for one in BinaryOperator}}
    return {word: usage for word, usage in keyword_help().items() if word.isidentifier()}
