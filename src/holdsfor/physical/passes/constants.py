"""Replaces registers that always have the same value by constants."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from holdsfor.physical import model

Constants = dict[int, model.Constant]
"""The values of registers."""
_Known = Mapping[int, model.Constant]


def fixed(shape: model.Shape, known: _Known) -> model.Shape:
    """Replaces the registers of a term; a register that gets its value here stays.

    >>> fixed(model.Register(2), {2: model.Constant("a")})
    Constant(value='a')
    """
    match shape:
        case model.Register(number=number, binds=False) if number in known:
            return known[number]
        case model.Structure(functor=functor, args=args, tail=tail):
            return model.Structure(functor, fixed_all(args, known), None if tail is None else fixed(tail, known))
        case _:
            return shape


def fixed_all(shapes: tuple[model.Shape, ...], known: _Known) -> tuple[model.Shape, ...]:
    """Several terms."""
    return tuple(fixed(shape, known) for shape in shapes)


def fixed_expression(expression: model.Expression, known: _Known) -> model.Expression:
    """An expression."""
    match expression:
        case model.Apply(function=function, args=args):
            return model.Apply(function, tuple(fixed_expression(arg, known) for arg in args))
        case model.Calendar(time=time):
            return replace(expression, time=fixed_expression(time, known))
        case _:
            found = fixed(expression, known)
            assert not isinstance(found, model.Anything)
            return found


def fixed_instruction(one: model.Instruction, known: _Known) -> model.Instruction:
    """Replaces the registers of an instruction, except in nested blocks."""
    if not known:
        return one
    match one:
        case model.Events(columns=columns) | model.Facts(columns=columns):
            return replace(one, columns=fixed_all(columns, known))
        case (
            model.Holding(columns=columns, value=value)
            | model.Edges(columns=columns, value=value)
            | model.Endable(columns=columns, value=value)
            | model.Lookup(columns=columns, value=value)
        ):
            return replace(one, columns=fixed_all(columns, known), value=fixed(value, known))
        case model.Compare(left=left, right=right):
            sides = fixed_expression(left, known), fixed_expression(right, known)
            return replace(one, left=sides[0], right=sides[1], site=fixed_site(one.site, known))
        case model.Equal(ground=ground, other=other):
            return replace(one, ground=fixed(ground, known), other=fixed(other, known))
        case model.Assign(target=target, expression=expression):
            given = fixed_expression(expression, known)
            return replace(one, target=fixed(target, known), expression=given, site=fixed_site(one.site, known))
        case model.Collect(template=template, result=result):
            shapes = fixed(template, known), fixed(result, known)
            window = None if one.window is None else _window(one.window, known)
            site = fixed_site(one.site, known)
            return replace(one, template=shapes[0], result=shapes[1], site=site, window=window)
        case model.Domain(places=places):
            return replace(one, places=tuple(_place(place, known) for place in places))
        case model.Operate(bound=bound):
            limit = None if bound is None else fixed_expression(bound, known)
            return replace(one, bound=limit, site=fixed_site(one.site, known))
        case model.Read(term=term):
            return replace(one, term=fixed(term, known), site=fixed_site(one.site, known))
        case model.Call() | model.ListCall():
            return replace(one, site=fixed_site(one.site, known))
        case _:
            return one


def fixed_site(site: model.Site, known: _Known) -> model.Site:
    """Replaces the registers of a site: its row contains the constants."""

    def cell(given: int | model.Constant) -> int | model.Constant:
        return known.get(given, given) if isinstance(given, int) else given

    return replace(site, row=tuple((name, cell(given)) for name, given in site.row))


def _window(window: model.Window, known: _Known) -> model.Window:
    worth = None if window.worth is None else fixed_expression(window.worth, known)
    return replace(window, length=fixed_expression(window.length, known), worth=worth)


def _place(place: model.Place, known: _Known) -> model.Place:
    return replace(place, columns=fixed_all(place.columns, known), value=fixed(place.value, known))
