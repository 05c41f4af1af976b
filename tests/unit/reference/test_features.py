"""What the reference evaluator does with constructs that the conformance cases do not reach."""

import math

import pytest

from holdsfor import HoldsforError, loads
from holdsfor.reference import Windows, recognise
from tests.strategies.recorded import RowReader


def run(rules: str, events: str, windows: Windows | None = None) -> list[tuple[str, str, float, float]]:
    """Rows (fluent, value, start, end) of the last query time."""
    analysis = loads(rules).analysis
    reader = RowReader(analysis)
    records = [reader.record(row.split("|")) for row in events.split()]
    assert None not in records
    result = recognise(analysis, [record for record in records if record is not None], windows)
    last = max((row.query_time for row in result.intervals), default=0)
    return [(row.fluent, row.value, row.start, row.end) for row in result.intervals if row.query_time == last]


SWITCH = """
initiatedAt(a(X)=true, T) :- happensAt(on(X), T).
terminatedAt(a(X)=true, T) :- happensAt(off(X), T).
initiatedAt(b(X)=true, T) :- happensAt(up(X), T).
terminatedAt(b(X)=true, T) :- happensAt(down(X), T).
"""


def test_negative_times() -> None:
    assert run(SWITCH, "on|-9|-9|x off|-5|-5|x") == [("a(x)", "true", -8, -4)]


def test_initially_holds_from_0_though_the_stream_begins_earlier() -> None:
    rules = SWITCH + "initially(a(x)=true)."
    assert run(rules, "off|-5|-5|x off|3|3|x") == [("a(x)", "true", 0, 4)]
    assert run(rules, "on|-9|-9|x") == [("a(x)", "true", -8, math.inf)]
    assert run(rules, "on|-9|-9|x off|-5|-5|x") == [("a(x)", "true", -8, -4)]


def test_duration_filters_on_closed_and_open_intervals() -> None:
    rules = SWITCH + "holdsFor(long(X)=true, I) :- holdsFor(a(X)=true, I1), intDurGreater(I1, 5, I)."
    assert run(rules, "on|1|1|x off|3|3|x on|10|10|x off|20|20|x on|30|30|x tick|1|1"[:-9]) == [
        ("a(x)", "true", 2, 4),
        ("a(x)", "true", 11, 21),
        ("a(x)", "true", 31, math.inf),
        ("long(x)", "true", 11, 21),
    ]


def test_hand_written_duration_filter() -> None:
    rules = (
        SWITCH
        + """
    holdsFor(short(X)=true, I) :- holdsFor(a(X)=true, I1), atMost(I1, 2, I).
    atMost(I0, D, I) :- findall((S,E), (member((S,E), I0), L is E-S, L =< D), I).
    """
    )
    assert ("short(x)", "true", 2, 4) in run(rules, "on|1|1|x off|3|3|x on|10|10|x off|20|20|x")


def test_complement_reaches_to_both_ends_of_time() -> None:
    rules = SWITCH + "holdsFor(idle(X)=true, I) :- holdsFor(a(X)=true, I1), complement_all([I1], I)."
    rows = run(rules, "on|1|1|x off|3|3|x")
    assert [row for row in rows if row[0] == "idle(x)"] == [
        ("idle(x)", "true", -math.inf, 2),
        ("idle(x)", "true", 4, math.inf),
    ]


def test_guarded_rule_with_cut_and_fallback() -> None:
    rules = (
        SWITCH
        + """
    holdsFor(c(X)=true, I) :- holdsFor(a(X)=true, I1), \\+ I1=[], !, holdsFor(b(X)=true, I2), intersect_all([I1,I2], I).
    holdsFor(c(X)=true, I) :- holdsFor(b(X)=true, I).
    """
    )
    rows = run(rules, "on|1|1|x up|3|3|x up|5|5|y")
    assert [row for row in rows if row[0].startswith("c")] == [
        ("c(x)", "true", 4, math.inf),
        ("c(y)", "true", 6, math.inf),
    ]


def test_an_empty_fallback_adds_nothing() -> None:
    rules = (
        SWITCH
        + """
    holdsFor(c(X)=true, I) :- holdsFor(a(X)=true, I), I \\= [].
    holdsFor(c(_)=true, []).
    """
    )
    assert ("c(x)", "true", 2, math.inf) in run(rules, "on|1|1|x")


def test_counting_with_findall() -> None:
    rules = """
    initiatedAt(crowded(R)=true, T) :-
        happensAt(enter(R,_P), T), findall(P, happensAt(enter(R,P), T), Ps), length(Ps, N), N >= 2.
    """
    assert run(rules, "enter|1|1|r|ann enter|2|2|r|bob enter|2|2|r|cy") == [("crowded(r)", "true", 3, math.inf)]


def test_looking_back_with_a_second_time_variable() -> None:
    rules = "initiatedAt(twice(X)=true, T) :- happensAt(knock(X), T), happensAt(knock(X), T0), T0 < T, T - T0 =< 3."
    assert run(rules, "knock|1|1|d knock|9|9|d knock|12|12|d") == [("twice(d)", "true", 13, math.inf)]


def test_a_value_from_the_event_and_any_value_terminated() -> None:
    rules = """
    initiatedAt(gear(C)=G, T) :- happensAt(shift(C,G), T).
    terminatedAt(gear(C)=_, T) :- happensAt(stall(C), T).
    """
    assert run(rules, "shift|1|1|c|2 shift|4|4|c|3 stall|9|9|c") == [("gear(c)", "2", 2, 5), ("gear(c)", "3", 5, 10)]


def test_a_counter_in_a_cycle() -> None:
    rules = """
    initially(count=0).
    initiatedAt(count=M, T) :- happensAt(tick, T), holdsAt(count=N, T), M is N + 1.
    """
    assert run(rules, "tick|3|3 tick|5|5") == [("count", "0", 0, 4), ("count", "1", 4, 6), ("count", "2", 6, math.inf)]


def test_an_end_event_that_starts_another_value() -> None:
    """A positive loop at one time-point: green starts when red ends, and red ends when green starts."""
    rules = """
    initiatedAt(light=red, T) :- happensAt(press, T).
    terminatedAt(light=red, T) :- happensAt(timer, T).
    initiatedAt(light=green, T) :- happensAt(end(light=red), T).
    """
    assert run(rules, "press|1|1 timer|5|5") == [("light", "green", 6, math.inf), ("light", "red", 2, 6)]


def test_initiation_as_a_condition_sees_delayed_ones() -> None:
    rules = """
    initiatedAt(offer=open, T) :- happensAt(make, T).
    fi(offer=open, offer=closed, 4).
    initiatedAt(mail=sent, T) :- initiatedAt(offer=closed, T).
    """
    assert ("mail", "sent", 6, math.inf) in run(rules, "make|1|1 make|20|20")


def test_delays_between_fluents_and_with_conditions() -> None:
    rules = """
    initiatedAt(turn(P)=N, T) :- happensAt(begin(P,N), T).
    fi(turn(P)=N, turn(Q)=M, 5) :- next(P, Q), N < 3, M is N + 1.
    ft(turn(_)=_, 5).
    next(a, b). next(b, a).
    """
    assert run(rules, "begin|1|1|a|1 begin|30|30|c|9") == [
        ("turn(a)", "1", 2, 7),
        ("turn(a)", "3", 12, 17),
        ("turn(b)", "2", 7, 12),
        ("turn(c)", "9", 31, math.inf),
    ]


def test_a_statically_determined_fluent_inside_a_cycle() -> None:
    rules = """
    initiatedAt(run(M)=true, T) :- happensAt(start_up(M), T), \\+ holdsAt(blocked(M)=true, T).
    terminatedAt(run(M)=true, T) :- happensAt(stop(M), T).
    initiatedAt(hot(M)=true, T) :- happensAt(heat(M), T), holdsAt(run(M)=true, T).
    terminatedAt(hot(M)=true, T) :- happensAt(cool(M), T).
    holdsFor(blocked(M)=true, I) :- holdsFor(hot(M)=true, I1), holdsFor(run(M)=true, I2), union_all([I1,I2], I).
    """
    stream = "start_up|1|1|m heat|3|3|m stop|5|5|m start_up|7|7|m cool|9|9|m start_up|11|11|m"
    assert run(rules, stream) == [
        ("blocked(m)", "true", 2, 10),
        ("blocked(m)", "true", 12, math.inf),
        ("hot(m)", "true", 4, 10),
        ("run(m)", "true", 2, 6),
        ("run(m)", "true", 12, math.inf),
    ]


def test_a_termination_tested_on_a_variable_of_its_head_only() -> None:
    rules = """
    initiatedAt(talk(P,Q)=true, T) :- happensAt(hello(P,Q), T).
    terminatedAt(talk(P,Q)=true, T) :- happensAt(walk(P), T), \\+ happensAt(walk(Q), T).
    """
    rows = run(rules, "hello|1|1|a|b hello|1|1|a|c walk|4|4|a walk|4|4|c")
    assert rows == [("talk(a,b)", "true", 2, 5), ("talk(a,c)", "true", 2, math.inf)]


def test_a_grounding_binds_a_head_variable() -> None:
    rules = """
    initiatedAt(lit(R)=true, T) :- happensAt(power_on, T).
    grounding(lit(R)=true) :- room(R).
    room(r1). room(r2).
    """
    assert [row[0] for row in run(rules, "power_on|1|1")] == ["lit(r1)", "lit(r2)"]


def test_a_pair_outside_its_grounding_breaks_but_never_holds() -> None:
    rules = """
    initiatedAt(mode(U)=M, T) :- happensAt(set(U,M), T).
    grounding(mode(U)=idle) :- unit(U).
    unit(u).
    """
    assert run(rules, "set|1|1|u|idle set|4|4|u|heat set|1|1|w|idle") == [("mode(u)", "idle", 2, 5)]


def test_touching_intervals_of_a_sequence_are_joined_for_the_fluent_only() -> None:
    rules = """
    initiatedAt(at(B)=P, T) :- happensAt(go(B,P), T).
    holdsFor(out(B)=true, I) :- holdsFor(at(B)=port, I1), holdsFor(at(B)=sea, I2), seq(I1, I2, I).
    holdsFor(trip(B)=true, I) :-
        holdsFor(at(B)=port, I1), holdsFor(at(B)=sea, I2), holdsFor(at(B)=fish, I3), seq(I1, I2, I4), seq(I4, I3, I).
    """
    stream = "go|3|3|b|port go|8|8|b|sea go|9|9|b|port go|11|11|b|sea go|15|15|b|fish go|21|21|b|port"
    rows = run(rules, stream)
    assert ("out(b)", "true", 4, 16) in rows
    assert ("trip(b)", "true", 10, 22) in rows


def test_a_delay_that_is_not_whole_is_refused_when_it_is_computed() -> None:
    rules = """
    initiatedAt(f(X)=a, T) :- happensAt(e(X), T).
    fi(f(X)=a, f(X)=b, D) :- half(X, H), D is H / 2.
    half(x, 5).
    """
    with pytest.raises(HoldsforError, match="must be a positive whole number"):
        run(rules, "e|1|1|x")


def test_unicode_and_quoted_names() -> None:
    rules = "initiatedAt('Zustand'(X)=geöffnet, T) :- happensAt(öffnen(X), T)."
    assert run(rules, "öffnen|1|1|Tür") == [("'Zustand'('Tür')", "geöffnet", 2, math.inf)]


def test_no_events_at_all() -> None:
    assert run(SWITCH, "") == []
    assert run(SWITCH + "initially(a(x)=true).", "") == [("a(x)", "true", 0, math.inf)]


def test_ends_of_a_value_that_never_holds_are_known_to_those_who_ask_for_any() -> None:
    rules = """
    initiatedAt(light(L)=on, T) :- happensAt(press(L), T).
    terminatedAt(light(L)=dimmed, T) :- happensAt(knock(L), T).
    initiatedAt(noticed(L)=true, T) :- terminatedAt(light(L)=_, T).
    """
    assert run(rules, "knock|3|3|lamp") == [("noticed(lamp)", "true", 4, math.inf)]
