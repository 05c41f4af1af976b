"""Renames: validates a new name, and writes it."""

from __future__ import annotations

from holdsfor.diagnostics import HoldsforError
from holdsfor.editing.occurrences import NameKind, Occurrence
from holdsfor.editing.project import Document
from holdsfor.frontend.dmtl.unparse import name_text
from holdsfor.syntax.printer import print_constant


def renamed(document: Document, name: Occurrence, new: str) -> dict[Occurrence, str]:
    """The replacement for every occurrence of a name; raises HoldsforError if the name is not possible."""
    if name.kind is NameKind.WORD:
        raise HoldsforError(f"{name.name} is a word of the language")
    if document.is_library(name):
        raise HoldsforError(f"{name.name}/{name.arity} is a predicate of the library")
    text = _written(name.kind, new)
    same = document.same_as(name)
    for other in document.all_names:
        clash = other.kind is name.kind and _is_near(other, name) and (other.name, other.arity) == (new, name.arity)
        if clash and not other.same(name):
            raise HoldsforError(f"there is a {name.kind} {new} already, in {_place(other, document)}")
    return dict.fromkeys(same, text)


def _is_near(other: Occurrence, name: Occurrence) -> bool:
    """Whether two names could be confused; variables only within one clause."""
    return name.kind is not NameKind.VARIABLE or (
        other.scope == name.scope and other.span.source.name == name.span.source.name
    )


def _place(name: Occurrence, document: Document) -> str:
    is_here = name.span.source.name == document.source.name
    return f"line {name.span.line}" if is_here else f"{name.span.source.name}:{name.span.line}"


def _written(kind: NameKind, new: str) -> str:
    begins_as_variable = new[:1].isupper() or new.startswith("_")
    if not new or new.isspace():
        raise HoldsforError("a name has at least one letter")
    if kind is NameKind.VARIABLE:
        if not (new.isidentifier() and begins_as_variable):
            raise HoldsforError(f"{new!r} is not a variable; variables begin with a capital letter or _")
        return new
    if kind is NameKind.PREDICATE:
        return name_text(new)
    if begins_as_variable:
        raise HoldsforError(f"{new!r} would be a variable; names begin with a small letter")
    return print_constant(new)
