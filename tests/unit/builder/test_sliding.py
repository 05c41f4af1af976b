"""Sliding aggregates written in Python give the text that they stand for."""

from __future__ import annotations

from datetime import timedelta

import pytest

from holdsfor.frontend.builder import (
    BuilderError,
    Condition,
    Rules,
    avg_within,
    count_within,
    distinct_within,
    event,
    fact,
    fluent,
    let,
    max_within,
    min_within,
    start,
    sum_within,
    top,
    variables,
)
from holdsfor.frontend.rtec import print_program

X, Y, N, T0 = variables("X Y N T0")
go, pays = event("go"), event("pays")


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        (count_within(go(X), 10) >= 3, "count_within(go(X),10,T) >= 3"),
        (count_within(go(X), "10 min") == 3, "count_within(go(X),10 min,T) =:= 3"),
        (count_within(start(fluent("on")(X)), timedelta(hours=1)) > 1, "count_within(start(on(X)=true),1 h,T) > 1"),
        (let(N, sum_within(Y * 2, pays(X, Y), 10)), "N is sum_within(Y * 2,pays(X,Y),10,T)"),
        (
            avg_within(Y, pays(X, Y), 10) < min_within(Y, pays(X, Y), 5),
            "avg_within(Y,pays(X,Y),10,T) < min_within(Y,pays(X,Y),5,T)",
        ),
        (max_within(Y, pays(X, Y), 10, at=T0) != 2, "max_within(Y,pays(X,Y),10,T0) =\\= 2"),
        (~(distinct_within(Y, pays(X, Y), 10) > 2), "\\+ distinct_within(Y,pays(X,Y),10,T) > 2"),
        (top(3, Y, pays(X, Y), 10), "top(3, Y, pays(X,Y), 10, T)"),
    ],
)
def test_conditions(condition: Condition, text: str) -> None:
    rules = Rules()
    rules.initiate(fluent("f")(X)).when(go(X), condition)
    assert print_program(rules.program()).splitlines()[-1] == f"    {text}."


def test_what_is_refused() -> None:
    with pytest.raises(BuilderError, match="looks at an event, or at the start or end of a fluent, not at"):
        count_within(fluent("on")(X), 10)
    with pytest.raises(BuilderError, match='takes a number of time-points, a timedelta or text such as "30 min"'):
        count_within(go(X), "soon")
    with pytest.raises(BuilderError, match="works on intervals"):
        Rules().holds(fluent("f")(X)).during(fluent("on")(X), count_within(go(X), 10) > 2)
    with pytest.raises(BuilderError, match="use count_within"):
        fact("count_within")(X, 10, 3)
