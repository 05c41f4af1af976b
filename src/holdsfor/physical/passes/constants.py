"""Replaces registers that always have the same value by constants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from holdsfor.physical import instructions as code

Constants = dict[int, code.Constant]
"""The values of registers."""
_Known = Mapping[int, code.Constant]


def fixed(shape: code.Shape, known: _Known) -> code.Shape:
    """Replaces the registers of a term; a register that gets its value here stays.

    >>> fixed(code.Register(2), {2: code.Constant("a")})
    Constant(value='a')
    """
    match shape:
        case code.Register(number=number, binds=False) if number in known:
            return known[number]
        case code.Structure(functor=functor, args=args, tail=tail):
            return code.Structure(functor, fixed_all(args, known), None if tail is None else fixed(tail, known))
        case _:
            return shape


def fixed_all(shapes: tuple[code.Shape, ...], known: _Known) -> tuple[code.Shape, ...]:
    """Several terms."""
    return tuple(fixed(shape, known) for shape in shapes)


def fixed_expression(expression: code.Expression, known: _Known) -> code.Expression:
    """An expression."""
    match expression:
        case code.Apply(function=function, args=args):
            return code.Apply(function, tuple(fixed_expression(arg, known) for arg in args))
        case code.Calendar(time=time):
            return replace(expression, time=fixed_expression(time, known))
        case _:
            found = fixed(expression, known)
            assert not isinstance(found, code.Anything)
            return found


def fixed_instruction(one: code.Instruction, known: _Known) -> code.Instruction:
    """Replaces the registers of an instruction, except in nested blocks."""
    if not known:
        return one
    match one:
        case code.Events(columns=columns) | code.Facts(columns=columns):
            return replace(one, columns=fixed_all(columns, known))
        case (
            code.Holding(columns=columns, value=value)
            | code.Edges(columns=columns, value=value)
            | code.Endable(columns=columns, value=value)
            | code.Lookup(columns=columns, value=value)
        ):
            return replace(one, columns=fixed_all(columns, known), value=fixed(value, known))
        case code.Compare(left=left, right=right):
            sides = fixed_expression(left, known), fixed_expression(right, known)
            return replace(one, left=sides[0], right=sides[1], site=fixed_site(one.site, known))
        case code.Equal(ground=ground, other=other):
            return replace(one, ground=fixed(ground, known), other=fixed(other, known))
        case code.Assign(target=target, expression=expression):
            given = fixed_expression(expression, known)
            return replace(one, target=fixed(target, known), expression=given, site=fixed_site(one.site, known))
        case code.Collect(template=template, result=result):
            shapes = fixed(template, known), fixed(result, known)
            window = None if one.window is None else _window(one.window, known)
            site = fixed_site(one.site, known)
            return replace(one, template=shapes[0], result=shapes[1], site=site, window=window)
        case code.Domain(places=places):
            return replace(one, places=tuple(_place(place, known) for place in places))
        case code.Operate(bound=bound):
            limit = None if bound is None else fixed_expression(bound, known)
            return replace(one, bound=limit, site=fixed_site(one.site, known))
        case code.Read(term=term):
            return replace(one, term=fixed(term, known), site=fixed_site(one.site, known))
        case code.Call() | code.ListCall():
            return replace(one, site=fixed_site(one.site, known))
        case _:
            return one


def fixed_site(site: code.Site, known: _Known) -> code.Site:
    """Replaces the registers of a site: its row contains the constants."""

    def cell(given: int | code.Constant) -> int | code.Constant:
        return known.get(given, given) if isinstance(given, int) else given

    return replace(site, row=tuple((name, cell(given)) for name, given in site.row))


def _window(window: code.Window, known: _Known) -> code.Window:
    worth = None if window.worth is None else fixed_expression(window.worth, known)
    return replace(window, length=fixed_expression(window.length, known), worth=worth)


def _place(place: code.Place, known: _Known) -> code.Place:
    return replace(place, columns=fixed_all(place.columns, known), value=fixed(place.value, known))
