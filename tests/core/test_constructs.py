"""Constructs that random programs seldom have, and streams that they never have: the core against the reference."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from holdsfor import loads
from holdsfor.diagnostics import Source
from holdsfor.logic.arithmetic import EvaluationError
from holdsfor.reference import Occurrence, Record, Windows
from holdsfor.syntax.parser import parse
from tests.core.families import by_reference, noted
from tests.core.runs import on_core

ON = "initiatedAt(on(X)=true,T) :- happensAt(press(X),T).\nterminatedAt(on(X)=true,T) :- happensAt(release(X),T).\n"
PRESSED = [("press(a)", 1), ("release(a)", 4), ("press(b)", 3), ("press(a)", 6), ("release(b)", 8), ("press(c)", 9)]


def _records(events: list[tuple[str, int]]) -> list[Record]:
    found: list[Record] = []
    for text, time in events:
        (clause,) = parse(Source("", f"{text}.")).clauses
        assert clause.head is not None
        found.append(Occurrence(clause.head, time, time))
    return found


def _check(text: str, events: list[tuple[str, int]], windows: Windows | None = None) -> None:
    reasoner, records = loads(text), _records(events)
    wanted = by_reference(reasoner, records, windows)
    for threads in (1, 3):
        found = on_core(reasoner, records, windows, threads)
        assert found.intervals == wanted.intervals
        assert found.events == wanted.events
        assert noted(found.failures) == noted(wanted.failures)
    assert wanted.intervals


def test_what_happens_together() -> None:
    # Every set of these events, after every other: rules that would do nothing alone break others, and are broken.
    kinds = ("to_a", "to_b", "end_a", "stop")
    rules = """
    initiatedAt(f(X)=a,T) :- happensAt(to_a(X),T).
    initiatedAt(f(X)=b,T) :- happensAt(to_b(X),T).
    terminatedAt(f(X)=a,T) :- happensAt(end_a(X),T).
    terminatedAt(f(X)=_,T) :- happensAt(stop(X),T).
    """
    together = [some for size in range(len(kinds) + 1) for some in combinations(kinds, size)]
    events = [
        (f"{kind}(k{number})", time)
        for number, sets in enumerate(product(together, repeat=2))
        for time, kinds_then in enumerate(sets, start=1)
        for kind in kinds_then
    ]
    _check(rules, events)


@pytest.mark.parametrize(
    "rule",
    [
        "holdsFor(s(X)=true,I) :- holdsFor(on(X)=true,I1), union_all([I1,[(20,25)]],I).",
        "holdsFor(s(X)=true,I) :- holdsFor(on(X)=true,I1), intersect_all([I1,[(2,5),(7,inf)]],I).",
        "holdsFor(s(X)=true,I) :- holdsFor(on(X)=true,I1), intersect_all([I1,[]],I), union_all([I1,I],_).",
        "holdsFor(s(X)=true,I) :- holdsFor(on(X)=true,I1), relative_complement_all(I1,[[(3,4)]],I).",
        "holdsFor(s(X)=true,[(2,4)]) :- holdsFor(on(X)=true,_).",
    ],
)
def test_lists_of_intervals_as_terms(rule: str) -> None:
    _check(ON + rule, PRESSED)


@pytest.mark.parametrize(
    "rule",
    [
        "holdsFor(s(X)=true,I) :- holdsFor(on(X)=true,I), holdsFor(on(X)=true,J), I = J.",
        "holdsFor(s(X)=true,I) :- holdsFor(on(X)=true,I), holdsFor(on(c)=true,I).",
        "holdsFor(s(X)=true,I) :- union_all([I,I],I), holdsFor(on(X)=true,I).",
        "holdsFor(s(X)=true,I) :- holdsFor(on(X)=true,I), intersect_all([I,[(2,8)]],I).",
        "holdsFor(s(X)=true,I) :- holdsFor(on(X)=true,I), intDurLess(I,5,I).",
        "holdsFor(s(X)=true,I) :- holdsFor(on(X)=true,I), intDurLess(I,5,[]).",
        "holdsFor(s(X)=true,I) :- holdsFor(on(X)=true,I), holdsFor(on(a)=false,[]).",
        "holdsFor(s(X)=true,I) :- I = [], holdsFor(on(X)=true,I).",
        "holdsFor(s(X)=true,I) :- holdsFor(on(X)=true,[(S,E)|I]), S < E.",
    ],
)
@pytest.mark.parametrize("windows", [None, Windows(5, 3, 0, 10)], ids=["whole", "windows"])
def test_a_list_that_is_given_twice_is_the_same(rule: str, windows: Windows | None) -> None:
    _check(ON + rule, PRESSED, windows)


@pytest.mark.parametrize(
    "rules",
    [
        """holdsFor(s(X)=true,I) :- holdsFor(on(X)=true,I1), keep(I1,5,I).
        keep(L,V,I) :- findall((S,L),(member((S,L),L),(L == inf ; \\+ L=inf, L-S > V)),I).""",
        """holdsFor(s(X)=true,I) :- holdsFor(on(X)=true,I1), first(S), keep(I1,S,I). first(2).
        keep(L,S,I) :- findall((S,E),(member((S,E),L), E \\= inf, E-S > 1),I).""",
        """holdsFor(s(X)=true,I) :- first(S), holdsFor(on(X)=true,L),
            findall((S,E),(member((S,E),L), E \\= inf, E-S > 1),I). first(2).""",
        """holdsFor(s(X)=true,I) :- last(E), holdsFor(on(X)=true,L),
            findall((S,E),(member((S,E),L), E \\= inf, E-S > 1),I). last(5).""",
    ],
)
def test_what_looks_like_a_filter_of_durations_and_is_none(rules: str) -> None:
    _check(ON + rules, PRESSED)


@pytest.mark.parametrize("effect", ["ft(f=true,1).", "fi(f=true,f=false,1)."])
def test_what_can_be_postponed_waits_for_an_effect_that_renews_its_pair(effect: str) -> None:
    rules = """initiatedAt(f=true,T) :- happensAt(press(_),T).
    fi(f=true,f=true,1). p(f=true).
    initiatedAt(g=true,T) :- happensAt(end(f=true),T)."""
    _check(rules + effect, PRESSED)


@pytest.mark.parametrize(
    "rules",
    [
        "initiatedAt(f(X)=p(X,Y),T) :- happensAt(meet(X,Y),T).\nterminatedAt(f(_)=p(_,b),T) :- happensAt(press(_),T).",
        "initiatedAt(f(X)=p(X,Y),T) :- happensAt(meet(X,Y),T).\nterminatedAt(f(X)=p(_,_),T) :- happensAt(press(X),T).",
        """initiatedAt(f(X)=Y,T) :- happensAt(meet(X,Y),T).
        terminatedAt(f(_)=_,T) :- happensAt(release(_),T).
        initiatedAt(g(X)=true,T) :- terminatedAt(f(X)=_,T), happensAt(release(X),T).
        initiatedAt(h(X)=true,T) :- terminatedAt(f(X)=_,T0), T0 < T, happensAt(press(X),T).""",
        """initiatedAt(f=Y,T) :- happensAt(meet(_,Y),T).
        terminatedAt(f=_,T) :- happensAt(release(_),T).
        initiatedAt(both=true,T) :- terminatedAt(f=b,T), terminatedAt(f=c,T).""",
    ],
)
def test_ends_that_leave_something_open(rules: str) -> None:
    _check(ON + rules, [*PRESSED, ("meet(a,b)", 0), ("meet(b,c)", 2), ("meet(a,c)", 5), ("meet(c,b)", 7)])


@pytest.mark.parametrize(
    "rules",
    [
        "initiatedAt(f(X)=[X,Y],T) :- happensAt(meet(X,Y),T).\nterminatedAt(f(X)=[X|_],T) :- happensAt(press(X),T).",
        """initiatedAt(f(X)=[X,Y],T) :- happensAt(meet(X,Y),T).
        terminatedAt(f(X)=[X,b|_],T) :- happensAt(press(X),T).
        initiatedAt(g(X)=L,T) :- terminatedAt(f(X)=[X|L],T), happensAt(press(X),T), L=[_].
        initiatedAt(h(X)=true,T) :- terminatedAt(f(X)=[a,b],T), happensAt(press(X),T).""",
        """initiatedAt(f(X)=p(X,Y),T) :- happensAt(meet(X,Y),T).
        terminatedAt(f(X)=p(X,_),T) :- happensAt(press(X),T).
        initiatedAt(h(X)=true,T) :- terminatedAt(f(X)=p(a,b),T), happensAt(press(X),T).""",
        """initiatedAt(f(X)=[X|Y],T) :- happensAt(meet(X,Y),T).
        initiatedAt(g(X)=Z,T) :- happensAt(press(X),T), holdsAt(f(X)=[_|Z],T).
        initiatedAt(h(X)=true,T) :- happensAt(press(X),T), holdsAt(f(X)=[a|c],T).
        initiatedAt(i(X)=true,T) :- happensAt(press(X),T), holdsAt(f(X)=[a],T).
        initiatedAt(j(X)=L,T) :- happensAt(press(X),T), holdsAt(f(X)=K,T), L=[1,2|K].
        initiatedAt(m(X)=R,T) :- happensAt(meet(_,X),T), holdsAt(j(_)=[1|R],T).""",
    ],
)
def test_lists_that_go_on_with_something_else(rules: str) -> None:
    _check(
        rules,
        [("meet(a,b)", 1), ("meet(b,c)", 2), ("press(a)", 5), ("meet(a,c)", 7), ("press(b)", 9), ("press(c)", 11)],
    )


def test_sums_of_floats_are_rounded_once() -> None:
    """What leaves a window is taken away exactly, however large it was."""
    values = [0.1, 1e17, -1e17, 0.1, 0.2, 1e300, 3, 2**60, 0.3, -1e300, 5e-324, 7, 1e308, 1e308, 0.1]
    events = [(f"m(a,{value!r})".replace("e+", "e"), time) for time, value in enumerate(values)]
    for name in ("sum_within", "avg_within", "min_within", "max_within", "distinct_within"):
        rule = f"initiatedAt(s(X)=V,T) :- happensAt(m(X,_),T), V is {name}(N,m(X,N),4,T).\n"
        _check(rule, events)


def test_windows_of_aggregates_that_change_their_length() -> None:
    text = """initiatedAt(s(X)=V,T) :- happensAt(go(X,D),T), V is sum_within(N,m(_,N),D,T).
    initiatedAt(r(X)=V,T) :- happensAt(go(X,D),T), V is max_within(N,m(X,N),D,T).
    initiatedAt(c(X)=V,T) :- happensAt(go(X,D),T), V is count_within(m(X,X),D,T).
    """
    events = [(f"m({'abc'[time % 3]},{time * 7 % 11})", time) for time in range(30)]
    lengths = ["3", "10", "2.5", "0", "-1", "inf", "x", "1", "7", "100", "1.0e30", "4"]
    events += [(f"go({'ab'[place % 2]},{length})", 5 + 2 * place) for place, length in enumerate(lengths)]
    _check(text, events)


def test_times_beyond_sixty_two_bits() -> None:
    far = 2**62 + 12_345
    text = ON + ":- time_unit(ns).\ninitiatedAt(h(X)=H,T) :- happensAt(press(X),T), hour(T,H).\n"
    text += "initiatedAt(b(X)=true,T) :- happensAt(press(X),T), T0 is T - 3, holdsAt(on(X)=true,T0).\n"
    _check(text, [(event, far + time) for event, time in PRESSED])


@pytest.mark.parametrize(
    ("rule", "tick"),
    [
        ("ft(on(X)=true,D) :- wait(X,D).", 1),
        ("fi(on(X)=true,on(X)=false,D) :- wait(X,D).", 1),
        ("ft(on(X)=true,D) :- wait(X,D).", 4),
    ],
)
@pytest.mark.parametrize("wait", ["0", "-2", "1.5", "x", "6", "0.0"])
def test_stops_say_what_the_reference_says(rule: str, tick: int, wait: str) -> None:
    reasoner = loads(f"{ON}wait(a,{wait}).\nwait(b,8).\n{rule}\n").with_clock_tick(tick)
    records = _records([(event, time * 4) for event, time in PRESSED])
    said = []
    for run in (by_reference, on_core):
        try:
            said.append(str(run(reasoner, records, None).intervals))
        except EvaluationError as stop:
            said.append(str(stop))
    assert said[0] == said[1]


def test_effects_without_an_end() -> None:
    text = "initiatedAt(f=a,T) :- happensAt(go,T).\nfi(f=a,f=b,1).\nfi(f=b,f=a,1).\n"
    reasoner, records = loads(text), _records([("go", 0), ("go", 5_000_000)])
    with pytest.raises(EvaluationError, match="goes on without an end: more than 1,000,000 delayed effects"):
        on_core(reasoner, records, None)


@pytest.mark.parametrize(
    "expression", ["X**2", "X**3-X", "2**X", "X**(0-1)", "X**0.5", "(0-X)**0.5", "0.0**X", "X**300", "X^2"]
)
def test_powers(expression: str) -> None:
    rules = f"initiatedAt(f(X)=Y,T) :- happensAt(e(X),T), Y is {expression}.\n" + ON
    events = [
        (f"e({number})", time) for time, number in enumerate((0, 1, 2, 3, 7, 2.5, 1e200, 3_037_000_500, 2**61), 1)
    ]
    _check(rules, events + PRESSED)


NUMBERS = (
    0,
    1,
    -1,
    7,
    -7,
    2,
    0.1,
    -0.1,
    0.5,
    2.5,
    -2.5,
    1e-9,
    3.75,
    1e15,
    2**53 - 1,
    2**53,
    -(2**53),
    2**53 + 1.0,
    2**60,
    1e17,
    1e-300,
)


@pytest.mark.parametrize(
    "expression",
    [
        *(f"A {function} B" for function in ("+", "-", "*", "/", "//", "div", "mod", "rem", "**")),
        *(
            "abs(A - B) * 2 + sign(B)",
            "180 - abs(180 - abs(A - B))",
            "sqrt((A - B) ** 2 + (B - A) ** 2)",
            "-(A) - -(B)",
        ),
        *(
            "floor(A / 3) + ceiling(B)",
            "round(A) - truncate(B)",
            "atan2(A, B) + atan2(-(A), -(B))",
            "(A mod 10) * (B mod 3.5)",
        ),
        *("log(A) + exp(B)", "min(A, B) - max(A, B)", "A + (B + (A + (B + (A + (B + (A + (B + (A + B))))))))"),
    ],
)
def test_formulas(expression: str) -> None:
    """Small and large numbers, integers and floats, with and without a value: rounded as the reference has it."""
    text = f"initiatedAt(f(A,B)=V,T) :- happensAt(e(A,B),T), V is {expression}.\n"
    text += f"initiatedAt(g(A,B)=true,T) :- happensAt(e(A,B),T), {expression} >= A."
    pairs = [(a, b) for a in NUMBERS for b in NUMBERS]
    _check(text, [(f"e({a!r},{b!r})", time) for time, (a, b) in enumerate(pairs)])


@pytest.mark.parametrize("function", ["min", "max"])
def test_the_least_and_the_greatest(function: str) -> None:
    rule = f"initiatedAt(seen(X)=V,T) :- happensAt(pair(X,L,R),T), V is {function}(L,R)."
    numbers = ["2.5", "3", "-2.5", "0", "9007199254740993", "9007199254740992.0", "9007199254740991", "1.0e300"]
    pairs = [(left, right) for left in numbers for right in numbers]
    _check(rule, [(f"pair(x{at},{left},{right})", at) for at, (left, right) in enumerate(pairs)])


def test_an_instance_with_many_values() -> None:
    rules = """initiatedAt(at(X)=N,T) :- happensAt(move(X,N),T).
    initiatedAt(near(X,Y)=true,T) :- happensAt(look(X,Y),T), holdsAt(at(X)=A,T), holdsAt(at(Y)=B,T), A - B < 3, B - A < 3.
    terminatedAt(near(X,Y)=true,T) :- happensAt(look(X,Y),T), holdsAt(at(X)=A,T), holdsAt(at(Y)=B,T), A - B >= 3.
    initiatedAt(home(X)=true,T) :- happensAt(look(X,_),T), holdsAt(at(X)=7,T).
    terminatedAt(home(X)=true,T) :- happensAt(look(X,_),T), \\+ holdsAt(at(X)=7,T).
    """
    moves = [(f"move({one},{(time * step) % 17})", time) for one, step in (("a", 3), ("b", 5)) for time in range(1, 60)]
    _check(rules, moves + [("look(a,b)", time) for time in range(1, 62, 3)], Windows(20, 10, 0, 70))
    _check(rules, moves + [("look(a,b)", time) for time in range(1, 62, 3)])


def test_lengths_of_lists() -> None:
    rules = (
        ON
        + """initiatedAt(most(N)=L,T) :- happensAt(count,T), findall(X, holdsAt(on(X)=true,T), L), length(L, N), N > 0.
    """
    )
    _check(rules, PRESSED + [("count", time) for time in range(1, 12)])


def test_lists_of_all_instances_are_collected() -> None:
    rule = "holdsFor(any=true,I) :- findall(J, (known(X), holdsFor(on(X)=true,J)), L), union_all(L,I).\nknown(a). known(b).\n"
    _check(ON + rule, PRESSED)


def test_rows_of_other_keys_have_nothing_to_report() -> None:
    """A meeting reaches the keys of both, and only one of them knows all that the rule asks about."""
    rules = """initiatedAt(f(X)=true,T) :-
        happensAt(meet(X,_),T), 2 =\\= count_within(press(X),9,T) / count_within(meet(_,X),9,T)."""
    _check(rules, [*PRESSED, ("meet(a,b)", 2), ("meet(b,a)", 2), ("meet(b,c)", 5), ("meet(c,c)", 5)])
