"""Shows the arguments of a predicate, event or fluent while it is being written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from pygments.token import Name, Number, String

from holdsfor.editing.lexers import MetricLexer, RulesLexer
from holdsfor.editing.occurrences import NameKind, Occurrence
from holdsfor.editing.project import Document
from holdsfor.frontend.dmtl.unparse import name_text
from holdsfor.frontend.rtec.bodies import USAGE
from holdsfor.frontend.rtec.heads import HEAD_USAGE
from holdsfor.ir.calendar import USAGE as CALENDAR_USAGE
from holdsfor.syntax.durations import is_duration
from holdsfor.syntax.printer import print_constant, print_term
from holdsfor.syntax.terms import Const, Term, Var

_CALL = re.compile(r"(\w+)\((.*)\)")
_LONGEST_CLAUSE = 100_000
"""The number of characters before a position that are examined."""


@dataclass(frozen=True)
class Signature:
    """The form of a call."""

    name: str
    parameters: tuple[str, ...]
    about: str

    @property
    def label(self) -> str:
        """The form as written in a rule."""
        return f"{self.name}({', '.join(self.parameters)})"


@dataclass(frozen=True)
class Help:
    """The possible forms of a call, the most likely form, and the argument at the position."""

    signatures: tuple[Signature, ...]
    active: int
    parameter: int


@dataclass
class _Open:
    """An open bracket at a position: the name before it, and the commas after it."""

    name: str
    is_first: bool
    commas: int = 0


def signature_help(document: Document, offset: int) -> Help | None:
    """Help about the innermost known call around a position."""
    for call in reversed(_open_calls(document, offset)):
        by_label: dict[str, Signature] = {}
        for one in _signatures(document, call):
            by_label.setdefault(one.label, one)
        found = tuple(by_label.values())
        if found:
            fitting = [place for place, one in enumerate(found) if len(one.parameters) > call.commas]
            return Help(found, fitting[0] if fitting else 0, call.commas)
    return None


def _open_calls(document: Document, offset: int) -> list[_Open]:
    """The open brackets of the clause at a position, from the outside in."""
    first = max(0, offset - _LONGEST_CLAUSE)
    lexer = MetricLexer() if document.is_metric else RulesLexer()
    found: list[_Open] = []
    before, is_first = "", True
    for _, kind, word in lexer.get_tokens_unprocessed(document.source.text[first:offset]):
        if word == "." or (document.is_metric and "\n" in word):
            found, is_first, before = [], True, ""
            continue
        if word in ("(", "[", "{"):
            found.append(_Open(before if word == "(" else "", is_first))
            is_first = False
        elif word in (")", "]", "}") and found:
            found.pop()
        elif word == "," and found:
            found[-1].commas += 1
        elif word == ":-":
            is_first = False
        is_name = not word.isspace() and word not in "()[]{},|" and kind not in Number
        before = _plain(word) if is_name and (kind in Name or kind in String or word[:1].isalpha()) else ""
    return found


def _plain(word: str) -> str:
    return word[1:-1] if word[:1] in "'\"" else word


def _signatures(document: Document, call: _Open) -> Iterator[Signature]:
    if not document.is_metric:
        usages = (HEAD_USAGE, USAGE) if call.is_first else (USAGE, HEAD_USAGE, CALENDAR_USAGE)
        for usage in usages:
            found = _CALL.search(usage.get(call.name, ""))
            if found and found[1] == call.name:
                yield Signature(call.name, tuple(_split(found[2])), usage[call.name])
    shown = name_text(call.name) if document.is_metric else print_constant(call.name)
    by_form: dict[tuple[NameKind, int], list[Occurrence]] = {}
    for one in document.all_names:
        if one.name == call.name and one.arity and one.kind not in (NameKind.WORD, NameKind.VARIABLE):
            by_form.setdefault((one.kind, one.arity), []).append(one)
    for (kind, arity), places in sorted(by_form.items(), key=lambda item: (item[0][1], item[0][0])):
        parameters = tuple(_parameter(one.args[place] for one in places) for place in range(arity))
        is_defined = any(one.is_definition for one in places)
        yield Signature(shown, parameters, f"{kind}{'' if is_defined else ', input'}")


def _parameter(args: Iterable[Term]) -> str:
    """The name of an argument: the variable that the rules use most, otherwise an example."""
    listed = list(args)
    names = Counter(arg.written for arg in listed if isinstance(arg, Var) and not arg.name.startswith("_"))
    examples = Counter(print_term(arg) for arg in listed if isinstance(arg, Const) or is_duration(arg))
    most = (names or examples).most_common(1)
    return most[0][0] if most else "_"


def _split(arguments: str) -> Iterator[str]:
    """The arguments, split at commas outside of brackets."""
    depth, begun = 0, ""
    for char in arguments:
        depth += (char in "([") - (char in ")]")
        if char == "," and not depth:
            yield begun.strip()
            begun = ""
        else:
            begun += char
    yield begun.strip()
