"""What the RTEC front end cannot make a rule of, and what it says."""

from __future__ import annotations

import pytest

from holdsfor.diagnostics import Severity, Source
from holdsfor.frontend.rtec import parse_program
from tests.unit.frontend.reading import problems

ON_INTERVALS = "use holdsAt here, or define the situation with a holdsFor rule"
ON_POINTS = "use holdsFor and interval operators here, or define a simple fluent with initiatedAt"
TIMELESS = "use background facts, arithmetic and comparisons only"
MODES = "one of source, target, union, intersection, relative_complement, relative_complement_inverse"

HEADS = [
    ("initiatedAt(f=v) :- a.", "HF102", "initiatedAt takes 2 arguments, not 1", "initiatedAt(f=v)", "write initiatedAt(f=v, T): the time is missing"),
    ("terminatedAt(f=v, T, T) :- a.", "HF102", "terminatedAt takes 2 arguments, not 3", "terminatedAt(f=v, T, T)", "write terminatedAt(Fluent=Value, T) :- …"),
    ("initiates(e, f=v).", "HF102", "initiates takes 3 arguments, not 2", "initiates(e, f=v)", "write initiates(Event, Fluent=Value, T) :- …"),
    ("terminates(e, f=v).", "HF102", "terminates takes 3 arguments, not 2", "terminates(e, f=v)", "write terminates(Event, Fluent=Value, T) :- …"),
    ("initially(f=v, T).", "HF102", "initially takes 1 argument, not 2", "initially(f=v, T)", "write initially(Fluent=Value)."),
    ("holdsFor(f=v).", "HF102", "holdsFor takes 2 arguments, not 1", "holdsFor(f=v)", "write holdsFor(f=v, I): the interval list is missing"),
    ("happensAt(e) :- a.", "HF102", "happensAt takes 2 arguments, not 1", "happensAt(e)", "write happensAt(e, T): the time is missing"),
    ("initiatedAt(f, T) :- a.", "HF110", "expected a fluent with its value", "f", "write f=true, or the value you mean"),
    ("initially(f(X)).", "HF110", "expected a fluent with its value", "f(X)", "write f(X)=true, or the value you mean"),
    ("holdsFor(f, I) :- a.", "HF110", "expected a fluent with its value", "f", "write f=true, or the value you mean"),
    ("initiates(e, f, T).", "HF110", "expected a fluent with its value", "f", "write f=true, or the value you mean"),
    ("fi(f=a, b, 3).", "HF110", "expected a fluent with its value", "b", "write b=true, or the value you mean"),
    ("initiatedAt(F=v, T) :- a.", "HF110", "a fluent must be a name, not F", "F", "write it as name(Args)=Value"),
    ("p(1=v).", "HF110", "a fluent must be a name, not 1", "1", "write it as name(Args)=Value"),
    ("X :- a.", "HF111", "X cannot be the head of a rule", "X", "a head is a predicate with its arguments"),
    ("[a].", "HF111", "[a] cannot be the head of a rule", "[a]", "a head is a predicate with its arguments"),
    ("12.", "HF111", "12 cannot be the head of a rule", "12", "a head is a predicate with its arguments"),
    ("holdsAt(f=v, T) :- a.", "HF111", "a rule cannot define holdsAt", "holdsAt(f=v, T)", "define the fluent with initiatedAt and terminatedAt, or with holdsFor"),
    ("f=v :- a.", "HF111", "a rule cannot define =", "f=v", "a rule is written Head :- Conditions."),
    ("a, b :- c.", "HF111", "a rule cannot define ,", "a, b", "write one rule for each head"),
    ("(a ; b) :- c.", "HF111", "a rule cannot define ;", "(a ; b)", "a rule is written Head :- Conditions."),
    ("\\+ a :- b.", "HF111", "a rule cannot define \\+", "\\+ a", "a rule is written Head :- Conditions."),
    ("X is 3.", "HF111", "a rule cannot define is", "X is 3", "a rule is written Head :- Conditions."),
    ("X < 3 :- a.", "HF111", "a rule cannot define <", "X < 3", "a rule is written Head :- Conditions."),
    ("':-'(a, b, c).", "HF111", "a rule cannot define :-", "':-'(a, b, c)", "a rule is written Head :- Conditions."),
    ("happensAt(start(f=v), T) :- a.", "HF111", "a rule cannot define the event start(f=v)", "start(f=v)", "start and end of a fluent happen by themselves; give the event a name of its own"),
    ("happensAt(E, T) :- a.", "HF110", "an event must be a name, not E", "E", "write happensAt(name(Args), T)"),
    ("initiatedAt(T, f(x)=v) :- a.", "HF110", "the fluent comes first in initiatedAt", "T", "write initiatedAt(f(x)=v, T)"),
    ("holdsFor(I, f(x)=v) :- a.", "HF110", "the fluent comes first in holdsFor", "I", "write holdsFor(f(x)=v, I)"),
    ("happensAt(T, press(x)) :- a.", "HF110", "the event comes first in happensAt", "T", "write happensAt(press(x), T)"),
    ("initiatedAt(f==v, T) :- a.", "HF110", "a fluent and its value are joined by =, not ==", "f==v", "write f=v"),
    ("initially(f:v).", "HF110", "a fluent and its value are joined by =, not :", "f:v", "write f=v"),
    ("initially(3).", "HF110", "expected a fluent with its value, found 3", "3", "write name(Args)=Value"),
    ("initially(a-b=true).", "HF110", "a fluent must be a name, not a - b", "a-b", "names have no dashes: write a_b"),
    ("happensAt(press=true, T) :- a.", "HF110", "press cannot have a value here: events have none", "press=true", "write start(press=true) or end(press=true) for its edges, or holdsAt(press=true, …)"),
    ("union_all([I1], I).", "HF111", "a rule cannot define union_all", "union_all([I1], I)", "if it is a condition of the rule before it, end that line with a comma, not a full stop"),
    ("findall(X, a, L) :- b.", "HF111", "a rule cannot define findall", "findall(X, a, L)", "a head is a predicate of your own, or one of initiatedAt, terminatedAt, holdsFor, happensAt"),
    ("ft(3, f=v).", "HF110", "expected a fluent with its value, found 3", "3", "write name(Args)=Value"),
]  # fmt: skip

CONDITIONS = [
    ("happensAt(e)", "HF102", "happensAt takes 2 arguments, not 1", "happensAt(e)", "write happensAt(e, T): the time is missing"),
    ("holdsAt(f=v)", "HF102", "holdsAt takes 2 arguments, not 1", "holdsAt(f=v)", "write holdsAt(f=v, T): the time is missing"),
    ("initiatedAt(f=v)", "HF102", "initiatedAt takes 2 arguments, not 1", "initiatedAt(f=v)", "write initiatedAt(f=v, T): the time is missing"),
    ("terminatedAt(f=v, T, T)", "HF102", "terminatedAt takes 2 arguments, not 3", "terminatedAt(f=v, T, T)", "write terminatedAt(Fluent=Value, T)"),
    ("findall(X, a)", "HF102", "findall takes 3 arguments, not 2", "findall(X, a)", "write findall(Template, Goal, List)"),
    ("is(X)", "HF102", "is takes 2 arguments, not 1", "is(X)", "write Result is Expression"),
    ("'->'(a)", "HF102", "-> takes 2 arguments, not 1", "'->'(a)", "write (If -> Then ; Else)"),
    ("'\\\\+'(a, b)", "HF102", "\\+ takes 1 argument, not 2", "'\\\\+'(a, b)", "write \\+ (Condition, Condition)"),
    ("holdsAt(f, T)", "HF110", "expected a fluent with its value", "f", "write f=true, or the value you mean"),
    ("happensAt(start(f), T)", "HF110", "expected a fluent with its value", "f", "write f=true, or the value you mean"),
    ("holdsAt(X=v, T)", "HF110", "a fluent must be a name, not X", "X", "write it as name(Args)=Value"),
    ("happensAt(E, T)", "HF110", "an event must be a name, not E", "E", "write happensAt(name(Args), T)"),
    ("X", "HF111", "X cannot be a condition", "X", "a condition is a predicate or a comparison"),
    ("3", "HF111", "3 cannot be a condition", "3", "a condition is a predicate or a comparison"),
    ("[a]", "HF111", "[a] cannot be a condition", "[a]", "a condition is a predicate or a comparison"),
    ("\\+ (a, X)", "HF111", "X cannot be a condition", "X", "a condition is a predicate or a comparison"),
    ("holdsFor(f=v, I)", "HF111", "holdsFor works on intervals, and this rule is not about intervals", "holdsFor(f=v, I)", ON_INTERVALS),
    ("union_all([I], J)", "HF111", "union_all works on intervals, and this rule is not about intervals", "union_all([I], J)", ON_INTERVALS),
    ("seq(I, J, K)", "HF111", "seq works on intervals, and this rule is not about intervals", "seq(I, J, K)", ON_INTERVALS),
    ("\\+ complement_all([I], J)", "HF111", "complement_all works on intervals, and this rule is not about intervals", "complement_all([I], J)", ON_INTERVALS),
    ("happensAt(T, press(x))", "HF110", "the event comes first in happensAt", "T", "write happensAt(press(x), T)"),
    ("holdsAt(T, f(x)=v)", "HF110", "the fluent comes first in holdsAt", "T", "write holdsAt(f(x)=v, T)"),
    ("happensAt(f(x)=v, T)", "HF110", "f(x) cannot have a value here: events have none", "f(x)=v", "write start(f(x)=v) or end(f(x)=v) for its edges, or holdsAt(f(x)=v, …)"),
    ("holdsAt(f is v, T)", "HF110", "a fluent and its value are joined by =, not is", "f is v", "write f=v"),
]  # fmt: skip

INTERVAL_CONDITIONS = [
    ("holdsFor(g, I)", "HF110", "expected a fluent with its value", "g", "write g=true, or the value you mean"),
    ("holdsFor(g=v)", "HF102", "holdsFor takes 2 arguments, not 1", "holdsFor(g=v)", "write holdsFor(g=v, I): the interval list is missing"),
    ("union_all(I1)", "HF102", "union_all takes 2 arguments, not 1", "union_all(I1)", "write union_all([I1, I2], I)"),
    ("intersect_all(I1)", "HF102", "intersect_all takes 2 arguments, not 1", "intersect_all(I1)", "write intersect_all([I1, I2], I)"),
    ("complement_all(I1)", "HF102", "complement_all takes 2 arguments, not 1", "complement_all(I1)", "write complement_all([I1, I2], I)"),
    ("relative_complement_all(I1, I)", "HF102", "relative_complement_all takes 3 arguments, not 2", "relative_complement_all(I1, I)", "write relative_complement_all(I1, [I2, I3], I)"),
    ("seq(I1, I)", "HF102", "seq takes 3 arguments, not 2", "seq(I1, I)", "write seq(I1, I2, I)"),
    ("allen(before, I1, I2, I)", "HF102", "allen takes 5 arguments, not 4", "allen(before, I1, I2, I)", "write allen(Relation, Source, Target, Mode, I)"),
    ("union_all(f(I1), I)", "HF112", "expected a list of interval lists, found f(I1)", "f(I1)", "write [I1, I2]"),
    ("relative_complement_all(I1, x, I)", "HF112", "expected a list of interval lists, found x", "x", "write [I1, I2]"),
    ("allen(befor, I1, I2, source, I)", "HF113", "befor is not an Allen relation", "befor", "did you mean before?"),
    ("allen(zzz, I1, I2, source, I)", "HF113", "zzz is not an Allen relation", "zzz", "one of before, meets, starts, finishes, during, overlaps, equal"),
    ("allen(R, I1, I2, source, I)", "HF113", "R is not an Allen relation", "R", "one of before, meets, starts, finishes, during, overlaps, equal"),
    ("allen(before, I1, I2, surce, I)", "HF113", "surce is not an output mode", "surce", "did you mean source?"),
    ("meets(I1, I2, 7, I)", "HF113", "7 is not an output mode", "7", MODES),
    ("meets(I1, I2, f(x), I)", "HF113", "f(x) is not an output mode", "f(x)", MODES),
    ("happensAt(e, T)", "HF111", "happensAt is about a time-point, and this rule is about intervals", "happensAt(e, T)", ON_POINTS),
    ("\\+ holdsAt(g=v, T)", "HF111", "holdsAt is about a time-point, and this rule is about intervals", "holdsAt(g=v, T)", ON_POINTS),
    ("initiatedAt(g=v, T)", "HF111", "initiatedAt is about a time-point, and this rule is about intervals", "initiatedAt(g=v, T)", ON_POINTS),
    ("holdsFor(I, g(x)=v)", "HF110", "the fluent comes first in holdsFor", "I", "write holdsFor(g(x)=v, I)"),
    ("allen(contains, I1, I2, source, I)", "HF113", "contains is not an Allen relation", "contains", "swap the two interval lists and write during"),
    ("allen(Before, I1, I2, source, I)", "HF113", "Before is not an Allen relation", "Before", "did you mean before?"),
]  # fmt: skip


def check(text: str, code: str, message: str, covered: str, hint: str) -> None:
    (finding,) = problems(text)
    assert (finding.code, finding.message) == (code, message)
    assert finding.span.text == covered
    assert finding.hint == hint
    assert finding.severity is Severity.ERROR


@pytest.mark.parametrize(("text", "code", "message", "covered", "hint"), HEADS)
def test_heads(text: str, code: str, message: str, covered: str, hint: str) -> None:
    check(text, code, message, covered, hint)


@pytest.mark.parametrize(("goal", "code", "message", "covered", "hint"), CONDITIONS)
def test_conditions(goal: str, code: str, message: str, covered: str, hint: str) -> None:
    check(f"terminatedAt(g=w, T) :-\n    happensAt(press, T),\n    {goal}.", code, message, covered, hint)


@pytest.mark.parametrize(("goal", "code", "message", "covered", "hint"), INTERVAL_CONDITIONS)
def test_interval_conditions(goal: str, code: str, message: str, covered: str, hint: str) -> None:
    check(f"holdsFor(h=w, Out) :-\n    holdsFor(k=w, Out),\n    {goal}.", code, message, covered, hint)


@pytest.mark.parametrize("head", ["initially(f=v)", "fi(f=v, f=w, 3)", "ft(f=v, 3)", "p(f=v)", "grounding(f=v)"])
def test_rules_for_all_time_read_no_time(head: str) -> None:
    check(
        f"{head} :- known(X), holdsAt(f=v, T).",
        "HF111",
        "holdsAt cannot be a condition here: this rule is about all of time",
        "holdsAt(f=v, T)",
        TIMELESS,
    )
    check(
        f"{head} :- holdsFor(f=v, I).",
        "HF111",
        "holdsFor works on intervals, and this rule is not about intervals",
        "holdsFor(f=v, I)",
        ON_INTERVALS,
    )


def test_each_bad_rule_is_reported_and_the_others_are_kept() -> None:
    text = "initiatedAt(f, T).\na(1).\nholdsAt(f=v, T).\nbroken(.\na(2).\n"
    program = parse_program([Source("test", text)])
    assert [(item.code, item.span.line) for item in program.diagnostics] == [("HF001", 4), ("HF110", 1), ("HF111", 3)]
    assert len(program.rules) == 2


def test_findings_of_several_sources_name_their_file() -> None:
    sources = [Source("one.prolog", "a(1).\nX."), Source("two.prolog", "initially(f).")]
    program = parse_program(sources)
    assert [item.span.location for item in program.diagnostics] == ["one.prolog:2:1", "two.prolog:1:11"]
    assert len(program.rules) == 1


def test_a_finding_as_text_and_as_data() -> None:
    (finding,) = problems("holdsFor(f=v, I) :-\n\tholdsFor(g, I).")
    assert finding.render() == (
        "test:2:11: error[HF110]: expected a fluent with its value\n"
        "    2 | \tholdsFor(g, I).\n"
        "      | \t         ^\n"
        "  = help: write g=true, or the value you mean"
    )
    assert finding.as_json() == {
        "code": "HF110",
        "severity": "error",
        "message": "expected a fluent with its value",
        "file": "test",
        "line": 2,
        "column": 11,
        "end_line": 2,
        "end_column": 12,
        "hint": "write g=true, or the value you mean",
        "labels": [],
    }
