"""The registers that parts of programs need, and those that they give a value."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache
from typing import Any, NamedTuple

from holdsfor.physical import model

_OF_REGISTERS = frozenset(("inputs", "outputs", "register", "rest"))
"""Fields that have the numbers of registers."""


class Registers(NamedTuple):
    """Registers that must have a value before, those that reports name included; and registers that have one afterwards."""

    needed: set[int]
    given: set[int]


def registers_of(part: object) -> Registers:
    """The registers of an instruction, a block or a term.

    >>> registers_of((model.Register(1), model.Register(2, binds=True), model.Register(2)))
    Registers(needed={1}, given={2})
    """
    found = Registers(set(), set())
    _add(part, found)
    return Registers(found.needed - found.given, found.given)


def _add(part: object, found: Registers) -> None:
    match part:
        case model.Register(number=number, binds=binds) | model.Instant(register=number, binds=binds):
            (found.given if binds else found.needed).add(number)
        case tuple():
            for item in part:
                _add(item, found)
        case model.Negate(block=block):
            # What has a value inside has none afterwards.
            found.needed.update(registers_of(block).needed)
        case model.Site(row=row):
            found.needed.update(known for _, known in row if isinstance(known, int))
        case model.Call(inputs=inputs, outputs=outputs):
            # Neither this nor a list has anything to report.
            found.needed.update(inputs, outputs)
        case model.Collect(template=template, block=block, result=result, aggregate=-1):
            _add((template, block, result), found)
        case _:
            kind: Any = type(part)
            for name in _parts(kind):
                value = getattr(part, name)
                if name not in _OF_REGISTERS:
                    _add(value, found)
                elif value is not None:
                    found.needed.update((value,) if isinstance(value, int) else value)


@cache
def _parts(kind: type) -> tuple[str, ...]:
    return tuple(one.name for one in fields(kind)) if is_dataclass(kind) else ()
