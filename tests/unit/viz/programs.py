"""Small programs whose dependency graphs are drawn, and a label that needs every kind of escaping."""

from holdsfor.compiler.analyse import analyse
from holdsfor.compiler.analysis.entities import Role
from holdsfor.diagnostics import Source
from holdsfor.frontend.rtec.reader import parse_program
from holdsfor.viz.graph import Granularity, GraphNode, GraphView, dependency_view

NETBILL = """
initiatedAt(quote(M,C)=true, T) :- happensAt(present(M,C), T).
fi(quote(M,C)=true, quote(M,C)=expiring, 10).
fi(quote(M,C)=expiring, quote(M,C)=false, 5).
initiatedAt(contract(M,C)=true, T) :-
    happensAt(accept(C,M), T), holdsAt(quote(M,C)=true, T), \\+ holdsAt(suspended(M)=true, T).
initiatedAt(suspended(M)=true, T) :- happensAt(breach(M,C), T), holdsAt(contract(M,C)=true, T).
fi(suspended(M)=true, suspended(M)=false, 9).
"""

ROLES = """
happensAt(alarm(X), T) :- happensAt(start(hot(X)=true), T), holdsAt(zone(X)=open, T).
initiatedAt(hot(X)=true, T) :- happensAt(heat(X), T).
initially(hot(X)=false) :- sensor(X).
holdsFor(risk(X)=high, I) :- holdsFor(hot(X)=true, I1), holdsFor(zone(X)=open, I2), intersect_all([I1,I2], I).
initiatedAt(noted(X)=true, T) :- happensAt(alarm(X), T).
sensor(s1).
"""

LAMP = """
initiatedAt(lit=true, T) :- happensAt(press, T).
fi(lit=true, lit=false, 30).
holdsFor(safe=true, I) :- holdsFor(lit=true, I1), holdsFor(guard=present, I2), union_all([I1,I2], I).
"""

QUARREL = """
initiatedAt(interaction(P,Q)=talking, T) :- happensAt(active(P,Q), T), \\+ holdsAt(movement(P,Q)=gathering, T).
initiatedAt(movement(P,Q)=abrupt, T) :- happensAt(abrupt(P,Q), T), holdsAt(interaction(P,Q)=talking, T).
happensAt(quarrel(P,Q), T) :- happensAt(start(movement(P,Q)=abrupt), T).
"""

NASTY = "say \"a\" 'b' <c> & #d; `e` %%{f}%% |g| {h} [i] *j* _k_ l_m \\n ~o~ $p$ style:#q; größe 速度"


def view_of(text: str, granularity: Granularity = "pairs") -> GraphView:
    return dependency_view(analyse(parse_program([Source("rules", text)])), granularity)


def labelled(label: str) -> GraphView:
    return GraphView("pairs", (GraphNode("v_n", label, Role.SIMPLE_FLUENT, 1, "c_n"),), (), ())
