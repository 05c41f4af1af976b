"""Hover texts of names: kind, evaluation key, retention, and defining rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from holdsfor.compiler.analysis.entities import Entity, EntityKind, Role, Symbol
from holdsfor.core.program import encoded
from holdsfor.diagnostics import Span, errors_of
from holdsfor.editing.occurrences import WORDS, NameKind, Occurrence
from holdsfor.editing.project import Document
from holdsfor.frontend.rtec.bodies import USAGE
from holdsfor.frontend.rtec.heads import HEAD_USAGE
from holdsfor.ir.calendar import USAGE as CALENDAR_USAGE
from holdsfor.loading import Reasoner
from holdsfor.physical.certificate import bounds

_MANY = 8


def hover_text(document: Document, name: Occurrence) -> str:
    """The hover text, as Markdown."""
    return "\n\n".join(_lines(document, name))


def _lines(document: Document, name: Occurrence) -> Iterator[str]:
    if name.kind is NameKind.VARIABLE:
        yield f"variable `{name.name}`"
        return
    if name.kind is NameKind.WORD:
        yield f"`{HEAD_USAGE.get(name.name) or USAGE.get(name.name) or name.name}`"
        return
    if document.is_calendar(name):
        yield f"`{CALENDAR_USAGE[name.name]}`"
        yield "what the calendar or a clock on the wall says at a time-point, in the time zone of the program"
        return
    if document.is_library(name):
        yield f"**{name.name}/{name.arity}**: predicate of the library"
        return
    found = _entity(document, name)
    yield f"**{name.name}/{name.arity}**: {found.role if found is not None else name.kind}"
    if found is not None:
        yield from _of_entity(document, found)
    yield _places(document, name)


def _entity(document: Document, name: Occurrence) -> Entity | None:
    if not isinstance(document.reasoner, Reasoner) or name.kind is NameKind.BACKGROUND:
        return None
    kind = EntityKind.EVENT if name.kind is NameKind.EVENT else EntityKind.FLUENT
    wanted = (kind, name.name, name.arity)
    entities = document.reasoner.analysis.entities
    return next((one for one in entities if (one.symbol.kind, one.symbol.name, one.symbol.arity) == wanted), None)


def _of_entity(document: Document, entity: Entity) -> Iterator[str]:
    reasoner = document.reasoner
    values = [str(value) for value in dict.fromkeys(_value(value) for value in entity.values)]
    if entity.symbol.kind is EntityKind.FLUENT and values:
        yield f"values {', '.join(f'`{value}`' for value in values[:_MANY])}"
    if isinstance(reasoner, Reasoner) and not errors_of(reasoner.diagnostics) and entity.role is not Role.INPUT_EVENT:
        yield from _of_plan(reasoner, entity.symbol)


def _value(value: object) -> str:
    return str(getattr(value, "value", value))


def _of_plan(reasoner: Reasoner, symbol: Symbol) -> Iterator[str]:
    """The plan's information about a fluent or derived event: its stage, key, retention and inputs."""
    lowered = encoded(reasoner.plan).lowered
    plan = lowered.plan
    if symbol not in lowered.symbols:
        return
    table = lowered.symbols.index(symbol)
    for number, stage in enumerate(plan.stages, 1):
        for route in stage.members:
            if route.table == table:
                yield f"stage {number}, {_key(route.places[0], stage.why)}  \nkeeps {bounds(plan)[table]}"
    for stratum in reasoner.plan.strata:
        if symbol in stratum.members:
            reads = ", ".join(f"`{read}`" for read in dict.fromkeys(map(str, stratum.inputs)))
            yield f"reads {reads or 'nothing'}"


def _key(places: Sequence[int], why: str) -> str:
    if not places:
        return f"one key for all{f': {why}' if why else ''}"
    columns = ", ".join(str(place + 1) for place in places)
    return f"key: argument{'' if len(places) == 1 else 's'} {columns}"


def _places(document: Document, name: Occurrence) -> str:
    defined = [one.span for one in document.definitions(name)]
    if not defined:
        return "input: no rule defines it"
    lines = ", ".join(_place(span, document) for span in defined[:_MANY])
    more = f" and {len(defined) - _MANY} more" if len(defined) > _MANY else ""
    return f"defined in {lines}{more}"


def _place(span: Span, document: Document) -> str:
    return f"line {span.line}" if span.source.name == document.source.name else span.location


def keyword_help() -> dict[str, str]:
    """The keywords of the language with their usage."""
    return {**dict.fromkeys(WORDS, ""), **CALENDAR_USAGE, **USAGE, **HEAD_USAGE}
