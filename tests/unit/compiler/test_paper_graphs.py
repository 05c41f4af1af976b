"""The graphs, levels and components that the papers draw, as golden tests.

`HUMAN` are the event descriptions E1, E2 and E3 of "Reasoning over arbitrary event calculus specifications"
(its figures 1 and 3); `NETBILL` is the fragment behind figures 1 and 3 of "Reasoning over streams of events with
delayed effects".
"""

from holdsfor import loads
from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.plan import make_plan

E1 = """
initiatedAt(interaction(P,Q)=greeting, T) :-
    happensAt(active(P), T), happensAt(active(Q), T),
    holdsAt(distance(P,Q)=mid, T), holdsAt(orientation(P,Q)=facing, T).
terminatedAt(interaction(P,Q)=greeting, T) :- happensAt(walking(P), T), \\+ holdsAt(orientation(P,Q)=facing, T).
terminatedAt(interaction(P,Q)=greeting, T) :- happensAt(walking(Q), T), \\+ holdsAt(orientation(P,Q)=facing, T).
initiatedAt(movement(P,Q)=gathering, T) :-
    happensAt(walking(P), T), holdsAt(distance(P,Q)=mid, T), holdsAt(orientation(P,Q)=facing, T).
initiatedAt(movement(P,Q)=gathering, T) :-
    happensAt(walking(Q), T), holdsAt(distance(P,Q)=mid, T), holdsAt(orientation(P,Q)=facing, T).
terminatedAt(movement(P,Q)=gathering, T) :- happensAt(active(P), T), \\+ happensAt(walking(Q), T).
terminatedAt(movement(P,Q)=gathering, T) :- happensAt(active(Q), T), \\+ happensAt(walking(P), T).
"""
E2 = (
    E1
    + """
initiatedAt(interaction(P,Q)=talking, T) :-
    happensAt(active(P), T), holdsAt(distance(P,Q)=short, T), holdsAt(orientation(P,Q)=facing, T),
    \\+ holdsAt(movement(P,Q)=gathering, T).
initiatedAt(interaction(P,Q)=talking, T) :-
    happensAt(active(Q), T), holdsAt(distance(P,Q)=short, T), holdsAt(orientation(P,Q)=facing, T),
    \\+ holdsAt(movement(P,Q)=gathering, T).
terminatedAt(interaction(P,Q)=talking, T) :- happensAt(inactive(P), T), happensAt(inactive(Q), T).
"""
)
E3 = (
    E2
    + """
initiatedAt(movement(P,Q)=abrupt_gestures, T) :- happensAt(abrupt(P), T), holdsAt(interaction(P,Q)=talking, T).
initiatedAt(movement(P,Q)=abrupt_gestures, T) :- happensAt(abrupt(Q), T), holdsAt(interaction(P,Q)=talking, T).
terminatedAt(movement(P,Q)=abrupt_gestures, T) :- happensAt(active(P), T), \\+ happensAt(abrupt(Q), T).
terminatedAt(movement(P,Q)=abrupt_gestures, T) :- happensAt(active(Q), T), \\+ happensAt(abrupt(P), T).
"""
)
NETBILL = """
initiatedAt(quote(M,C,G)=true, T) :- happensAt(present_quote(M,C,G,_P), T).
initiatedAt(quote(M,C,G)=false, T) :- happensAt(accept_quote(C,M,G), T).
fi(quote(M,C,G)=true, quote(M,C,G)=expiring, 10).
fi(quote(M,C,G)=expiring, quote(M,C,G)=false, 5).
initiatedAt(permission(M,C)=true, T) :- happensAt(request_quote(C,M,_G), T), \\+ holdsAt(permission(M,C)=false, T).
initiatedAt(permission(M,C)=false, T) :- happensAt(present_quote(M,C,_G,_P), T), holdsAt(permission(M,C)=true, T).
fi(permission(M,C)=false, permission(M,C)=true, 4).
initiatedAt(contract(M,C,G)=true, T) :-
    happensAt(accept_quote(C,M,G), T), holdsAt(quote(M,C,G)=true, T), \\+ holdsAt(suspended(M)=true, T).
initiatedAt(contract(M,C,G)=true, T) :-
    happensAt(accept_quote(C,M,G), T), holdsAt(quote(M,C,G)=expiring, T), \\+ holdsAt(suspended(M)=true, T).
fi(contract(M,C,G)=true, contract(M,C,G)=false, 12).
initiatedAt(suspended(M)=true, T) :- happensAt(report(M,C,G), T), holdsAt(contract(M,C,G)=true, T).
initiatedAt(suspended(M)=true, T) :- happensAt(present_quote(M,C,_G,_P), T), holdsAt(permission(M,C)=false, T).
fi(suspended(M)=true, suspended(M)=false, 9).
"""


def edges(text: str, kind: str) -> set[str]:
    graph = loads(text).analysis.graph
    found = graph.i_edges if kind == "i" else graph.f_edges
    return {f"{source.label} -> {target.label}" for source, target in found}


def fluent_levels(text: str) -> dict[str, int]:
    return {symbol.name: level for symbol, level in loads(text).analysis.graph.symbol_levels.items()}


def analysis(text: str) -> Analysis:
    return loads(text).analysis


def test_figure_1a_dependency_graph_of_e3() -> None:
    assert edges(E3, "i") == {
        "distance=mid -> interaction=greeting",
        "orientation=facing -> interaction=greeting",
        "distance=mid -> movement=gathering",
        "orientation=facing -> movement=gathering",
        "distance=short -> interaction=talking",
        "orientation=facing -> interaction=talking",
        "movement=gathering -> interaction=talking",
        "interaction=talking -> movement=abrupt_gestures",
    }
    assert edges(E3, "f") == set()


def test_pair_levels_of_e1_to_e3_before_fluents_are_considered() -> None:
    levels = {vertex.label: level for vertex, level in analysis(E3).graph.vertex_levels.items()}
    assert levels == {
        "distance=mid": 1,
        "distance=short": 1,
        "orientation=facing": 1,
        "interaction=greeting": 2,
        "movement=gathering": 2,
        "interaction=talking": 3,
        "movement=abrupt_gestures": 4,
    }


def test_figure_1b_fluent_graph_of_e2_is_acyclic() -> None:
    graph = analysis(E2).graph
    assert {(a.name, b.name) for a, b in graph.symbol_edges} == {
        ("distance", "interaction"),
        ("orientation", "interaction"),
        ("distance", "movement"),
        ("orientation", "movement"),
        ("movement", "interaction"),
    }
    assert fluent_levels(E2) == {"distance": 1, "orientation": 1, "movement": 2, "interaction": 3}


def test_figures_1c_and_1d_contract_e3() -> None:
    graph = analysis(E3).graph
    assert [sorted(symbol.name for symbol in members) for members in graph.fluent_components if len(members) > 1] == [
        ["interaction", "movement"]
    ]
    assert fluent_levels(E3) == {"distance": 1, "orientation": 1, "movement": 2, "interaction": 2}


def test_netbill_figure_3a_edges() -> None:
    assert edges(NETBILL, "f") == {
        "quote=true -> quote=expiring",
        "quote=expiring -> quote=false",
        "permission=false -> permission=true",
        "contract=true -> contract=false",
        "suspended=true -> suspended=false",
    }
    assert edges(NETBILL, "i") == {
        "permission=false -> permission=true",
        "permission=true -> permission=false",
        "quote=true -> contract=true",
        "quote=expiring -> contract=true",
        "suspended=true -> contract=true",
        "contract=true -> suspended=true",
        "permission=false -> suspended=true",
    }


def test_netbill_figure_3b_f_contracted_vertices() -> None:
    groups = {frozenset(v.label for v in members) for members in analysis(NETBILL).graph.f_components}
    assert groups == {
        frozenset({"quote=true", "quote=expiring", "quote=false"}),
        frozenset({"permission=true", "permission=false"}),
        frozenset({"contract=true", "contract=false"}),
        frozenset({"suspended=true", "suspended=false"}),
    }


def test_netbill_figure_3c_cd_components_and_levels() -> None:
    graph = analysis(NETBILL).graph
    groups = {frozenset(v.symbol.name for v in members) for members in graph.cd_components}
    assert groups == {frozenset({"quote"}), frozenset({"permission"}), frozenset({"contract", "suspended"})}
    levels = {vertex.symbol.name: level for vertex, level in graph.vertex_levels.items()}
    assert levels == {"quote": 1, "permission": 1, "contract": 2, "suspended": 2}


def test_of_two_fi_only_the_shorter_is_an_edge() -> None:
    text = """
    initiatedAt(f=a, T) :- happensAt(e, T).
    fi(f=a, f=b, 5).
    fi(f=a, f=c, 9).
    """
    assert edges(text, "f") == {"f=a -> f=b"}


def test_figure_1_of_delayed_effects_levels() -> None:
    text = """
    initiatedAt(quote(M,C,G)=true, T) :- happensAt(present_quote(M,C,G,_P), T).
    initiatedAt(contract(M,C,G)=true, T) :- happensAt(accept_quote(C,M,G), T), holdsAt(quote(M,C,G)=true, T).
    """
    assert fluent_levels(text) == {"quote": 1, "contract": 2}


def test_what_the_papers_programs_evaluate_together() -> None:
    def together(text: str) -> list[set[str]]:
        return [{symbol.name for symbol in s.members} for s in make_plan(analysis(text)).strata]

    assert together(E2) == [{"movement"}, {"interaction"}]
    assert together(E3) == [{"movement", "interaction"}]
    assert together(NETBILL) == [{"permission"}, {"quote"}, {"contract", "suspended"}]
