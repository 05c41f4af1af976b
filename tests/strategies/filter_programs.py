"""Random programs with interval filters that they define themselves: `findall` and `member` over interval lists.

Filters differ in how they treat open intervals (`E \\= inf`, `E == inf`, `queryTime`, not at all), in their comparison, in
their control structure, and in what they do besides: some have an operator of the engine that means the same, others
go through lists in ways that no operator does.
"""

from __future__ import annotations

from tests.strategies.scenario_words import Pen

_COMPARED = (">", ">=", "<", "=<")


def filter_program(pen: Pen) -> str:
    """The text of a program."""
    rules = [
        "limit(ann,2).",
        "limit(bob,4).",
        "initiatedAt(a(X)=true,T) :- happensAt(go(X),T).",
        "terminatedAt(a(X)=true,T) :- happensAt(stop(X),T).",
        "initiatedAt(b(X)=true,T) :- happensAt(hit(X),T).",
        "terminatedAt(b(X)=true,T) :- happensAt(turn(X,_),T).",
    ]
    readable = ["a", "b"]
    for number in range(pen.number(1, 3)):
        name, helper = f"s{number}", f"keep{number}"
        clauses, arity = _helper(pen, helper)
        rules += clauses
        rules.append(_rule(pen, name, helper, arity, readable))
        readable.append(name)
    if pen.chance(40):
        read = pen.pick(readable)
        rules.append(f"holdsFor(u(X)=true,I) :- holdsFor({read}(X)=true,I1), {_direct(pen)}.")
        readable.append("u")
    if pen.chance(30):
        read = pen.pick(readable)
        rules.append(f"initiatedAt(r(X)=true,T) :- happensAt({pen.pick(('start', 'end'))}({read}(X)=true),T).")
        rules.append("terminatedAt(r(X)=true,T) :- happensAt(tick,T).")
    return "\n".join(pen.shuffled(rules))


def _length(pen: Pen, end: str, limit: str) -> str:
    """A comparison of a length with a limit, in one of the ways in which people write it."""
    compared = pen.pick(_COMPARED)
    form = pen.weighted([(4, "computed"), (2, "direct"), (1, "mirrored"), (1, "sum")])
    if form == "computed":
        return f"D is {end}-S, D {compared} {limit}"
    if form == "direct":
        return f"{end}-S {compared} {limit}"
    if form == "mirrored":
        return f"{limit} {compared} {end}-S"
    return f"{end} {compared} S+{limit}"


def _condition(pen: Pen, limit: str) -> str:
    """What decides whether the interval (S,E) is kept."""
    ended, until_now = _length(pen, "E", limit), _length(pen, "Q", limit)
    if pen.chance(60):
        # The usual case: the same comparison for both.
        until_now = ended.replace("E-S", "Q-S").replace("E ", "Q ")
    is_open = pen.pick(("E == inf", "E = inf", "\\+ E \\= inf", "inf == E"))
    is_over = pen.pick(("E \\= inf", "E \\== inf", "\\+ E = inf", "\\+ E == inf"))
    shapes = [
        (2, ended),
        (3, f"{is_over}, {ended}"),
        (3, f"({is_over} -> ({ended}) ; (queryTime(Q), {until_now}))"),
        (2, f"({is_open} -> (queryTime(Q), {until_now}) ; ({ended}))"),
        (2, f"({is_open} ; {is_over}, {ended})"),
        (1, f"({is_over} -> X0 = E ; queryTime(X0)), X0-S > {limit}"),
        (1, f"({is_open} ; S mod 2 =:= 0)"),
        (1, f"queryTime(Q), Q - S > {limit}"),
        (1, f"\\+ ({is_over}, {ended})"),
    ]
    return pen.weighted(shapes)


def _direct(pen: Pen) -> str:
    """A filter inside of a rule."""
    return f"findall((S,E), (member((S,E),I1), {_condition(pen, str(pen.number(0, 5)))}), I)"


def _helper(pen: Pen, name: str) -> tuple[list[str], int]:
    """The clauses of a predicate on interval lists, and how many arguments it has."""
    kind = pen.weighted(
        [(12, "filter"), (1, "moved"), (1, "two lists"), (1, "recursive"), (1, "two clauses"), (1, "last")]
    )
    if kind == "filter":
        return [f"{name}(L,V,I) :- findall((S,E), (member((S,E),L), {_condition(pen, 'V')}), I)."], 3
    if kind == "moved":
        return [f"{name}(L,V,I) :- findall((S2,E), (member((S,E),L), S2 is S+V, (E == inf ; E > S2)), I)."], 3
    if kind == "two lists":
        return [f"{name}(L,V,I) :- findall((S,E), (member((S,E),L), \\+ (member((S2,_),L), S2 > S, S2 < S+V)), I)."], 3
    if kind == "recursive":
        return [
            f"{name}([],_,[]).",
            f"{name}([(S,E)|R],V,[(S,E)|R2]) :- (E == inf ; E-S > V), !, {name}(R,V,R2).",
            f"{name}([_|R],V,R2) :- {name}(R,V,R2).",
        ], 3
    if kind == "two clauses":
        return [
            f"{name}(L,V,I) :- length(L,N), N > V, I = [].",
            f"{name}(L,V,I) :- length(L,N), N =< V, I = L.",
        ], 3
    return [f"{name}(L,V,[(S,E)]) :- last(L,(S,E)), S > V."], 3


def _rule(pen: Pen, name: str, helper: str, arity: int, readable: list[str]) -> str:
    assert arity == 3
    leaf = f"holdsFor({pen.pick(readable)}(X)=true,I1)"
    limit, fact = (str(pen.number(0, 5)), "") if pen.chance(70) else ("V", ", limit(X,V)")
    after = pen.weighted([(5, ""), (1, "union"), (1, "complement"), (1, "guard")])
    head = f"holdsFor({name}(X)=true,I) :- {leaf}{fact}"
    if after == "union":
        return f"{head}, {helper}(I1,{limit},I2), holdsFor({pen.pick(readable)}(X)=true,I3), union_all([I2,I3],I)."
    if after == "complement":
        return f"{head}, {helper}(I1,{limit},I2), relative_complement_all(I1,[I2],I)."
    if after == "guard":
        return f"{head}, {helper}(I1,{limit},I), I \\= []."
    return f"{head}, {helper}(I1,{limit},I)."
