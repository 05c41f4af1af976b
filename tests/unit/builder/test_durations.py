"""Durations, the time unit and conditions about the calendar in Python."""

from __future__ import annotations

import math
from datetime import timedelta

import pytest

from holdsfor import from_program
from holdsfor.frontend.builder import BuilderError, Rules, T, duration, event, fact, fluent, lib, variables
from tests.unit.builder.reading import assert_says

U, T0, H, L = variables("U T0 H L")
cart, add, stopped = fluent("cart"), event("add"), fluent("stopped")


def shop(delay: object = "30 min") -> Rules:
    rules = Rules()
    rules.time_unit("s", zone="Europe/Athens")
    rules.initiate(cart(U) == "active").when(add(U), lib.business_hours(T, "8 h", timedelta(hours=18)))
    rules.after(delay, cart(U) == "active", becomes="abandoned")  # type: ignore[arg-type]
    return rules


SHOP = """:- time_unit(s).
:- time_zone('Europe/Athens').
initiatedAt(cart(U)=active, T) :- happensAt(add(U), T), business_hours(T, 8 h, 18 h).
fi(cart(U)=active, cart(U)=abandoned, 30 min).
"""


@pytest.mark.parametrize("delay", ["30 min", "30min", timedelta(minutes=30), duration("30 min")])
def test_a_delay(delay: object) -> None:
    assert_says(shop(delay), SHOP)
    assert not from_program(shop(delay).program()).diagnostics


def test_numbers_stay_time_points() -> None:
    assert_says(shop(1800), SHOP.replace("30 min", "1800"))


def test_comparisons_and_arithmetic() -> None:
    rules = Rules()
    rules.happens(event("late")(U)).when(
        add(U), add(U).at(T0), T - T0 < "10 min", T0 + timedelta(hours=1, minutes=30) > T, lib.hour(T, H), H >= 9
    )
    rules.fact(fact("limit")("ann", duration("1 h")), fact("limit")("bob", "1 h"))
    assert_says(
        rules,
        """happensAt(late(U), T) :- happensAt(add(U), T), happensAt(add(U), T0), T - T0 < 10 min,
            T0 + 1 h 30 min > T, hour(T, H), H >= 9.
        limit(ann, 1 h).
        limit(bob, '1 h').""",
    )


def test_intervals() -> None:
    rules = Rules()
    recent = stopped(U).sometime_in_last(0, "5 min").longer_than("1 h").at_most(timedelta(days=1))
    rules.holds(fluent("recent")(U)).during(recent)
    rules.holds(fluent("old")(U)).during(stopped(U).always_in_last("1 h", math.inf))
    assert_says(
        rules,
        """holdsFor(recent(U)=true, I) :- holdsFor(stopped(U)=true, I1), diamond_minus(I1, [0,5 min], I2),
            intDurGreater(I2, 1 h, I3), intDurAtMost(I3, 1 d, I).
        holdsFor(old(U)=true, I) :- holdsFor(stopped(U)=true, I1), box_minus(I1, [1 h,inf], I).""",
    )


def test_what_is_no_duration_is_refused_where_it_is_written() -> None:
    with pytest.raises(
        BuilderError, match=r'rules.after\(…\) takes a number of time-points, a timedelta or text such as "30 min"'
    ):
        shop("soon")
    with pytest.raises(BuilderError, match=r"longer_than\(…\) takes"):
        stopped(U).longer_than("5 m")
    with pytest.raises(BuilderError, match="0 or more"):
        stopped(U).sometime_in_last("-5 min", 0)
    with pytest.raises(BuilderError, match=r"lib.hour takes 2 arguments, not 1"):
        lib.hour(T)
    with pytest.raises(AttributeError, match="did you mean lib.weekday"):
        lib.weekdy  # noqa: B018


def test_without_a_unit_the_message_points_at_the_python_line() -> None:
    rules = Rules()
    rules.initiate(cart(U) == "a").when(add(U))
    rules.after("30 min", cart(U) == "a", becomes="b")
    [found] = from_program(rules.program()).diagnostics
    assert found.code == "HF116" and found.fix is None
    assert found.span.source.name.endswith("test_durations.py")
