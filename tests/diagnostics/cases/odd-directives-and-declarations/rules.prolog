:- dynamic port/1, vessel/1.
:- include('background.prolog').
inputEntity(happensAt(enters(_, _), _)).
outputEntity(inPort(_)=true).
grounding(inPort(V)=true) :- vessel(V).
index(enters(V, _), V).
cachingOrder(inPort(_)=true).
initiatedAt(inPort(V)=true, T) :- happensAt(enters(V, P), T), port(P).
terminatedAt(inPort(V)=true, T) :- happensAt(leaves(V), T).
