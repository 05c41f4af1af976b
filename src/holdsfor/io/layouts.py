"""Determines the layout of rows by name: events, or input fluents given as intervals or points."""

from __future__ import annotations

from enum import StrEnum

from holdsfor.compiler.analysis.arithmetic_arguments import ArithmeticArguments
from holdsfor.compiler.analysis.entities import Entities, Entity, EntityKind, Role, Symbol
from holdsfor.ir import DeclarationKind
from holdsfor.records import record


class Form(StrEnum):
    """How a row represents time."""

    EVENT = "event"
    INTERVAL = "interval"
    POINT = "point"


FIELDS_BEFORE_ARGUMENTS = {Form.INTERVAL: 5, Form.POINT: 4, Form.EVENT: 3}
"""`name|arrival|start|end|value|…`, `name|arrival|time|value|…`, `name|arrival|occurrence|…`; the first that fits is
used.
"""


@record
class Layout:
    """The symbol and the form of a row."""

    symbol: Symbol
    form: Form
    arithmetic: frozenset[int] = frozenset()
    """The arguments that rules use only in arithmetic."""


class Layouts:
    """The layouts of all rows that a program can use."""

    def __init__(self, entities: Entities, arithmetic: ArithmeticArguments | None = None) -> None:
        self._entities: dict[str, list[Entity]] = {}
        self._arithmetic: ArithmeticArguments = arithmetic or {}
        for entity in entities:
            if entity.symbol.kind is EntityKind.EVENT or entity.role is Role.INPUT_FLUENT:
                self._entities.setdefault(entity.symbol.name, []).append(entity)

    def knows(self, name: str) -> bool:
        """Whether any rule mentions an event or input fluent with this name."""
        return name in self._entities

    def kinds(self, name: str) -> set[EntityKind]:
        """Whether a name is an event, an input fluent, or both."""
        return {entity.symbol.kind for entity in self._entities.get(name, ())}

    def is_fluent(self, name: str) -> bool:
        """Whether any rule mentions an input fluent with this name."""
        return any(entity.symbol.kind is EntityKind.FLUENT for entity in self._entities.get(name, ()))

    def find(self, name: str, kind: EntityKind, arity: int) -> Symbol | None:
        """The event or input fluent with a name and a number of plain arguments."""
        for entity in self._entities.get(name, ()):
            symbol = entity.symbol
            if (symbol.kind, symbol.arity, symbol.inner) == (kind, arity, ()):
                return symbol
        return None

    def layout(self, symbol: Symbol, form: Form) -> Layout:
        """The layout of rows about a symbol."""
        return Layout(symbol, form, self._arithmetic.get(symbol, frozenset()))

    def of_row(self, name: str, width: int) -> Layout | str | None:
        """The layout of a row with this many fields; None for unknown names, a message for wrong numbers."""
        if name not in self._entities:
            return None
        fitting = []
        for form, before in FIELDS_BEFORE_ARGUMENTS.items():
            kind = EntityKind.EVENT if form is Form.EVENT else EntityKind.FLUENT
            symbol = self.find(name, kind, width - before)
            if symbol is not None:
                fitting.append(self.layout(symbol, form))
        if not fitting:
            return f"{self.arguments(name)}; this row has {width} fields"
        return next((layout for layout in fitting if self._is_declared(layout)), fitting[0])

    def arguments(self, name: str) -> str:
        """A sentence about the arguments of a name in the rules."""
        symbols = [entity.symbol for entity in self._entities[name]]
        arities = sorted({symbol.arity for symbol in symbols if not symbol.inner})
        if not arities:
            return f"the rules only know {', '.join(map(str, symbols))}, whose inner terms no row can have"
        plural = "" if arities == [1] else "s"
        return f"{name} takes {' or '.join(map(str, arities))} argument{plural} in the rules"

    def _is_declared(self, layout: Layout) -> bool:
        """Whether the program declares this form, which decides between forms that fit equally."""
        if layout.form is Form.EVENT:
            return False
        entities = self._entities[layout.symbol.name]
        declared = next(entity.declared_input for entity in entities if entity.symbol == layout.symbol)
        if declared is None:
            return False
        return (declared.kind is DeclarationKind.COLLECT_INTERVALS) == (layout.form is Form.INTERVAL)
