initiatedAt(inPort(V)=true, T) :- happensAt(enters(V), T).
terminatedAt(inPort(V)=true, T) :- happensAt(leaves(V), T).
initiatedAt(returns(V)=true, T) :-
    happensAt(enters(V), T),
    \+ (happensAt(leaves(V), T0), T0 < T, T - T0 =< 60).
holdsFor(away(V)=true, I) :- holdsFor(inPort(V)=true, I1), complement_all([I1], I).
