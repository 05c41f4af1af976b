"""A program's own predicates with the names of Allen's relations are its own."""

from holdsfor import loads

RULES = """
meets(a, b).
during(a, b, c, d).
initiatedAt(f(X)=true, T) :- happensAt(e(X), T), meets(X, _).
holdsFor(g(X)=true, I) :- holdsFor(f(X)=true, I), meets(X, b).
holdsFor(h(X)=true, I) :- holdsFor(f(X)=true, I), during(X, b, c, d).
holdsFor(k(X)=true, I) :- holdsFor(f(X)=true, I1), holdsFor(g(X)=true, I2), equal(I1, I2, source, I).
"""


def test_facts_with_the_names_of_relations() -> None:
    result = loads(RULES).recognise({"e": [{"time": 1, "arg1": "a"}, {"time": 2, "arg1": "z"}]})
    assert {(row.fluent, row.start) for row in result} == {("f(a)", 2), ("g(a)", 2), ("h(a)", 2), ("k(a)", 2)}
