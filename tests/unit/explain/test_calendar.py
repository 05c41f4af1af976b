"""Explanations of durations and of conditions about the calendar."""

from __future__ import annotations

from holdsfor import loads

RULES = """:- time_unit(s).
:- time_zone('Europe/Athens').
initiatedAt(cart(U)=active, T) :- happensAt(add(U), T), business_hours(T), hour(T, H), H < 16, date(T, _, 3, _).
initiatedAt(seen(U)=true, T) :- happensAt(add(U), T), happensAt(view(U), T0), T0 < T, T - T0 < 10 min.
fi(cart(U)=active, cart(U)=abandoned, 30 min).
holdsFor(recent(U)=true, I) :- holdsFor(cart(U)=active, I1), diamond_minus(I1, [0,5 min], I2), intDurGreater(I2, 1 min, I).
"""
EVENTS = {
    "add": [(1_772_524_800, "ann"), (1_772_568_000, "cy"), (1_772_611_200, "bob")],
    "view": [(1_772_610_800, "bob")],
}


def explained(question: str, at: str) -> str:
    return str(loads(RULES).explain(question, at, events=EVENTS, end="2026-03-06T00:00Z"))


def test_what_the_calendar_says() -> None:
    found = explained("cart(ann)=active", "2026-03-03T08:10Z")
    for line in (
        "weekday(2026-03-03T10:00:00+02:00,2), 2 =< 5",
        "hour(2026-03-03T10:00:00+02:00,10), 10 >= 9",
        "hour(2026-03-03T10:00:00+02:00,10)\n",
        "date(2026-03-03T10:00:00+02:00,_,3,_)\n",
        "10 < 16",
    ):
        assert line in found
    assert "#" not in found


def test_what_the_calendar_does_not_say() -> None:
    found = explained("cart(cy)=active", "2026-03-03T20:10Z")
    assert "fails: hour(2026-03-03T22:00:00+02:00,22), 22 < 17" in found


def test_durations_are_shown_as_they_were_written() -> None:
    assert "< 10 min" in explained("seen(bob)=true", "2026-03-04T08:10Z")
    found = explained("recent(ann)=true", "2026-03-03T08:31Z")
    assert "intDurGreater(I2,1 min,I) has" in found
    assert "diamond_minus(I1,[0,5 min],I2) has" in found
    assert "is 35min long, which is > 1min" in found
