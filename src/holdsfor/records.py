"""Records: frozen data classes with slots that are cheap to define.

A plan and the rules it comes from have a hundred kinds of records. The data class of the standard library compiles six
methods for each of them, which takes longer than a run on a small file; a record compiles one. All else is as there:
`fields`, `replace`, patterns, equality of the fields that are compared. One without a docstring gets its signature for
one, as there, which takes longer than all else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, eq_default=True, field_specifiers=(field,))
def record(cls: type[T]) -> type[T]:
    """Make a class a record of the fields that it declares.

    >>> @record
    ... class Point:
    ...     x: int
    ...     y: int = 0
    >>> Point(1), Point(1) == Point(1, 0), len({Point(1), Point(1)})
    (Point(x=1, y=0), True, 1)
    """
    made: Any = dataclass(init=False, repr=False, eq=False, slots=True)(cls)
    parts = fields(made)
    key = _getter([part.name for part in parts if part.compare])
    shown = [part.name for part in parts if part.repr]
    made.__init__ = _init(made, parts)
    made.__repr__ = lambda self: _text(self, shown)
    if "__eq__" not in cls.__dict__:
        made.__eq__ = lambda self, other: (
            key(self) == key(other) if self.__class__ is other.__class__ else NotImplemented
        )
        made.__hash__ = lambda self: hash(key(self))
    made.__setattr__ = _refuse_to_set
    made.__delattr__ = _refuse_to_delete
    made.__reduce__ = _reduce
    return made  # type: ignore[no-any-return]


def _getter(names: list[str]) -> Callable[[Any], Any]:
    return attrgetter(*names) if names else lambda _: ()


def _init(made: Any, parts: tuple[Field[Any], ...]) -> Any:
    """The constructor: it gives each slot its value, and calls `__post_init__` if there is one."""
    known: dict[str, Any] = {f"put_{part.name}": getattr(made, part.name).__set__ for part in parts}
    given = []
    for part in parts:
        assert part.default_factory is MISSING
        if part.default is not MISSING:
            known[f"default_{part.name}"] = part.default
        given.append(part.name if part.default is MISSING else f"{part.name}=default_{part.name}")
    lines = [f"put_{part.name}(self, {part.name})" for part in parts]
    if hasattr(made, "__post_init__"):
        lines.append("self.__post_init__()")
    text = f"def __init__({', '.join(['self', *given])}):\n " + "\n ".join(lines or ["pass"])
    exec(text, known)  # noqa: S102 -- names of fields, as in the standard library
    init = known["__init__"]
    init.__qualname__ = f"{made.__qualname__}.__init__"
    init.__annotations__ = {part.name: part.type for part in parts}
    return init


def _text(one: Any, names: list[str]) -> str:
    return f"{type(one).__qualname__}({', '.join(f'{name}={getattr(one, name)!r}' for name in names)})"


def _refuse_to_set(one: Any, name: str, value: object) -> None:
    del one, value
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(one: Any, name: str) -> None:
    del one
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _reduce(one: Any) -> tuple[Any, ...]:
    """The arguments of the constructor, for copies and pickles."""
    return type(one), tuple(getattr(one, part.name) for part in fields(one))
