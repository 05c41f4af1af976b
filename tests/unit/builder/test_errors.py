"""What the builder says when something does not fit together."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from holdsfor.diagnostics import HoldsforError
from holdsfor.frontend.builder import (
    ANY,
    NEVER,
    BuilderError,
    Rules,
    compare,
    complement,
    either,
    empty,
    event,
    fact,
    find_all,
    fluent,
    fn,
    if_,
    let,
    lib,
    named,
    not_,
    seq,
    spans,
    start,
    union,
    var,
    variables,
    without,
)

X, Y = variables("X Y")
a, b = fluent("a"), fluent("b")
gap = fluent("gap", "vessel", values=["near", "far"])
go, ok = event("go", "who", "where"), fact("ok")


def when(*conditions: Any) -> Any:
    return Rules().initiate(a(X)).when(*conditions)


def during(*steps: Any) -> Any:
    return Rules().holds(a(X)).during(*steps)


def twice() -> None:
    draft = Rules().initiate(a(X))
    draft.when(ok(X))
    draft.when(ok(Y))


MISTAKES: list[tuple[Callable[[], Any], str]] = [
    # Kinds of things
    (when, "rules.initiate(a(X)=true).when(…) needs at least one condition"),
    (lambda: when(go), "the event go has no arguments yet: call it, as in go(who, where), or go() for none"),
    (lambda: when(a), "the fluent a has no arguments yet: call it, as in a(…)"),
    (lambda: when(X), "X is a value, not a condition"),
    (lambda: when("ok"), "'ok' is not a condition"),
    (lambda: when(1 == 2), "Python has already decided this comparison (False)"),  # noqa: PLR0133
    (lambda: when(union(a(X), b(X))), "`union(a(X), b(X))` speaks of whole intervals: define a fluent"),
    (
        lambda: when(a(X).longer_than(3) & ok(X)),
        "ok(X) has no intervals and cannot stand beside &: give both to .during(…)",
    ),
    (lambda: when(ok(X) & a(X).longer_than(3)), "speaks of whole intervals"),
    (lambda: when(empty(a(X))), "speaks of intervals, and rules.initiate(a(X)=true) does not"),
    (during, "rules.holds(a(X)=true).during(…) needs a situation"),
    (lambda: during(ok(X)), "its conditions alone do not say when it holds"),
    (lambda: during(go(X, Y), b(X)), "go(X,Y) would be read at a time-point here"),
    (lambda: during(b(X).at(Y), b(X)), "b(X)=true would be read at a time-point here"),
    (lambda: during(b), "the fluent b has no arguments yet"),
    (lambda: during(if_(ok(X), then=b(X), otherwise=ok(Y))), "a branch of if_(…) over intervals needs a situation"),
    (lambda: union(ok(X)), "union(…) needs a situation, that is a fluent or a combination of fluents, not ok(X)"),
    (lambda: Rules().initiate(go(X, Y)), "needs a fluent with its value, as in stopped(V) == 'nearPorts', not go(X,Y)"),
    (lambda: Rules().initiate(a), "needs a fluent with its value, as in stopped(V) == 'nearPorts', not fluent a"),
    (lambda: Rules().happens(a(X)), "needs an event with its arguments, not a(X)=true"),
    (lambda: start(ok(X)), "start(…) needs a fluent with its value"),
    (lambda: Rules().fact(a(X)), "needs a fact with its arguments, as in area('brest', 'port'), not a(X)=true"),
    (lambda: Rules().facts(ok(X), []), "rules.facts(…) needs a fact"),
    (lambda: Rules().facts(ok, ["abc"]), "a row is a list of arguments, not 'abc'"),
    (lambda: Rules().include(ok), "include(…) takes rules or a program, not fact ok"),
    (lambda: Rules().initially(a(X)).when(b(X)), "b(X)=true depends on time, and rules.initially(a(X)=true) is about"),
    (lambda: Rules().initially(a(X)).when(empty(b(X))), "speaks of intervals"),
    (lambda: Rules().define(ok(X)).when(a(X)), "a(X)=true needs a time-point, and rules.define(ok(X)) has none"),
    # Python's own operators
    (lambda: when(a(X) == "on" & b(X)), "'on' cannot stand beside &. Python applies & before ==, so put each side"),
    (lambda: when(a(X) == Y & b(X)), "Y cannot stand beside &"),
    (lambda: when(a(X) == Y | b(X)), "Y cannot stand beside |"),
    (lambda: when(a(X) == Y - b(X)), "Y cannot stand beside -. Python applies - before =="),
    (lambda: when(a(X) == "on" - b(X)), "'on' cannot stand beside -"),
    (lambda: when(a(X) == "on" | b(X)), "'on' cannot stand beside |"),
    (lambda: when(~a(X) == "on"), "put the comparison in parentheses: ~(a(X) == 1)"),
    (lambda: when(go(X, Y) == 1), "go(X,Y) is a whole condition and has no value to compare"),
    (lambda: when(a(X).longer_than(3) == 1), "is a whole condition"),
    (lambda: when(a(X) != "on"), "for 'does not have this value' write ~(a(X) == 'on')"),
    (lambda: when(ok(X) & "x"), "'x' cannot stand beside &"),
    (lambda: when(ok(X) | go), "the event go has no arguments yet"),
    (lambda: when(b(X) - "x"), "'x' cannot stand beside -"),
    (lambda: when(ok(X) and ok(Y)), "write a & b, a | b, ~a"),
    (lambda: when(not ok(X)), "write a & b, a | b, ~a"),
    (lambda: when(1 < X < 5), "one comparison at a time"),
    # Names and values
    (lambda: var("vessel"), "'vessel' cannot name a variable: start with a capital letter or _, as in var('Vessel')"),
    (lambda: variables("X two-words"), "'two-words' cannot name a variable"),
    (lambda: event(""), "'' cannot name an event"),
    (lambda: fluent(X), "X cannot name a fluent: give its name as text"),
    (lambda: go(X), "the event go takes 2 arguments (who, where), not 1"),
    (lambda: go(whom=X), "the event go has no argument whom; its arguments are: who, where"),
    (lambda: go(X, where=Y), "go: give all arguments in order, or all by name"),
    (lambda: ok(who=X), "declare them as in fact('ok', 'who')"),
    (lambda: gap(X) == "nearby", "gap(X) never has the value nearby; its values are near, far"),
    (lambda: when(gap(X)), "gap(X) never has the value true; its values are near, far"),
    (lambda: ok(None), "None (NoneType) cannot be an argument"),
    (lambda: ok(ok), "fact ok cannot be an argument"),
    (lambda: ok(X > 1), "X > 1 cannot be an argument"),
    (lambda: ok((1,)), "(1,) is too short: a tuple needs two parts"),
    (lambda: ok(-math.inf), "numbers are finite, or inf"),
    (lambda: ok(float("nan")), "nan cannot stand in a rule"),
    (lambda: ok(float("-inf")), "-inf cannot stand in a rule"),
    (lambda: fn.sqroot(X), "there is no function sqroot: did you mean fn.sqrt?"),
    (lambda: fn.sqrt(X, Y), "fn.sqrt takes 1 argument, not 2"),
    (lambda: lib.membr(X, Y), "there is no built-in predicate membr: did you mean lib.member?"),
    (lambda: lib.length(X), "lib.length takes 2 arguments, not 1"),
    (lambda: compare("=>", X, Y), "'=>' is not a comparison"),
    (lambda: fact("findall")(X, Y), "findall is part of the language: use find_all(…)"),
    (lambda: fact("<")(X, Y), "< is part of the language: use compare(…)"),
    (lambda: fact("during")(1, 2, 3, 4), "during is part of the language: use .allen(…)"),
    (lambda: fact("intDurLess")(1, 2, 3), "use .longer_than(…) and its like"),
    (lambda: fact("since")(1, 2, 3, 4), "use .sometime_in_last(…) and its like"),
    (lambda: a(X).sometime_in_last(-1, 3), "takes a whole number of time-points, 0 or more, not -1"),
    (lambda: a(X).always_in_last(0, 2.5), "takes a whole number of time-points, 0 or more, not 2.5"),
    (lambda: a(X).always_in_next(float("inf"), float("inf")), "0 or more, not inf"),
    (lambda: a(X).since(a(Y), X, 3), "0 or more, not X"),
    (lambda: a(X).since(ok(Y), 0, 3), "since(…) needs a situation"),
    (lambda: a(X).until(a(Y), 5, 3), "the nearer distance comes first, so write 3, 5"),
    (fact("!"), "use CUT"),
    (lambda: event("start")(X), "start with one argument is the start of a fluent: use start(…)"),
    (lambda: Rules().fact(fact("grounding")(X)), "grounding is part of the language and cannot be a fact"),
    (lambda: Rules().fact(fact("p")(a(X) == 1)), "p is part of the language and cannot be a fact"),
    # Combinations
    (lambda: a(X).allen("befor", b(X), give="union"), "'befor' is not an Allen relation; did you mean before?"),
    (lambda: a(X).before(b(X), give="both"), "'both' is not what an Allen relation can give; choose one of source"),
    (lambda: a(X).before(ok(X), give="union"), "an Allen relation needs a situation"),
    (lambda: seq(a(X)), "seq(…) needs at least two situations"),
    (union, "union(…) needs at least one situation"),
    (lambda: complement(rest=3), "rest must be a variable that stands for a list, not 3"),
    (lambda: without(a(X)), "without(…) needs something to take away"),
    (lambda: spans((1, 2, 3)), "spans(…) takes pairs (start, end), not (1, 2, 3)"),
    (lambda: let(named("A"), X + 1), "let(A, …) names intervals: give it a situation, not X + 1"),
    (lambda: let(ANY, a(X)), "let(…) needs a name for the intervals, as in let(named('Slow'), …), not _"),
    (lambda: let(NEVER, a(X)), "let(…) needs a name for the intervals"),
    (not_, "not_(…) needs at least one condition"),
    (lambda: either(ok(X), union(a(X))), "either(…): `union(a(X))` speaks of whole intervals"),
    (lambda: find_all(X, into=Y), "find_all(…) needs at least one condition"),
    (lambda: when(if_(ok(X), then=union(a(X)))), "if_(…): `union(a(X))` speaks of whole intervals"),
    # Rules
    (lambda: Rules().after(9, a(ANY), becomes="off"), "each ANY is another variable"),
    (lambda: Rules().declare("groundings", a(X)), "'groundings' is not a declaration; the declarations are grounding"),
    (lambda: Rules().declare("index"), "rules.declare('index', …) needs something to declare"),
    (lambda: Rules().declare("points", 3), "rules.declare('points', …) needs one fluent with its value"),
    (lambda: Rules().declare("directive", "go").when(ok(X)), "a directive has no conditions"),
    (twice, "rules.initiate(a(X)=true) has its conditions already"),
]


@pytest.mark.parametrize(("mistake", "message"), MISTAKES, ids=[message[:50] for _, message in MISTAKES])
def test_mistake(mistake: Callable[[], Any], message: str) -> None:
    with pytest.raises(BuilderError) as caught:
        mistake()
    assert message in str(caught.value)
    assert isinstance(caught.value, HoldsforError)


def test_rules_without_conditions_are_named_with_their_places() -> None:
    rules = Rules()
    rules.initiate(a(X) == "on")
    rules.holds(b(X))
    rules.fact(ok(1))
    with pytest.raises(BuilderError) as caught:
        rules.program()
    first, second = str(caught.value).splitlines()
    assert first.startswith(__file__) and first.endswith(
        ": rules.initiate(a(X)=on) has no conditions yet: add .when(…)"
    )
    assert second.endswith(": rules.holds(b(X)=true) has no conditions yet: add .during(…)")


def test_unknown_names_are_attribute_errors_too() -> None:
    assert not hasattr(fn, "sqroot")
    assert not hasattr(lib, "__wrapped__")
