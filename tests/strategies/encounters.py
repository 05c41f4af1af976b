"""What programs about people that meet have in common: operators over their lists, and their streams."""

from __future__ import annotations

from holdsfor import loads
from holdsfor.diagnostics import ProgramError
from holdsfor.reference import InputInterval, Occurrence, Record
from holdsfor.reference.history import event_term
from holdsfor.syntax.terms import Const
from tests.strategies.engine_runs import Scenario
from tests.strategies.scenario_words import Pen

_PEOPLE = ("ann", "bob", "cy", "dee")
_WIDTHS = {"meets": 2, "beside": 2, "calls": 2, "gathers": 3}
_INPUT_FLUENTS = ("beside", "alert")


def list_operator(pen: Pen, names: list[str]) -> str:
    """An operator that makes the list I of I0 and the lists with some names."""
    others = ",".join(names)
    return pen.pick(
        (
            f"intersect_all([I0,{others}], I)",
            f"relative_complement_all(I0, [{others}], I)",
            f"union_all([{others}], J), intersect_all([I0,J], I)",
        )
    )


def encounter_scenario(
    pen: Pen, lines: list[str], names: tuple[str, ...], least: int, most: int, people: tuple[str, ...] = _PEOPLE
) -> Scenario | None:
    """Rules with a stream of records with these names; None if the rules have no meaning."""
    text = "\n".join(lines) + "\n"
    try:
        reasoner = loads(text)
    except ProgramError:
        return None
    inputs = {symbol.name for symbol in reasoner.plan.inputs}
    return Scenario(text, _records(pen, inputs, names, pen.number(least, most), people), None, reasoner)


def _records(pen: Pen, inputs: set[str], names: tuple[str, ...], count: int, people: tuple[str, ...]) -> list[Record]:
    found: list[Record] = []
    # Where few meet in a short time, much happens at once.
    known, last = pen.weighted([(3, (people, 20)), (2, (people[:2], 8))])
    for _ in range(count):
        name = pen.pick(names)
        those = [pen.pick(known) for _ in range(_WIDTHS.get(name, 1))]
        time = pen.number(0, last)
        if name not in inputs:
            continue
        if name in _INPUT_FLUENTS:
            end = time + pen.number(1, 8)
            found.append(InputInterval(event_term(name, those), Const("true"), time, end, time))
        else:
            more = [pen.pick(("good", "bad"))] if name == "says" else []
            found.append(Occurrence(event_term(name, [*those, *more]), time, time))
    return found
