open_room(R) :- room(R), \+ closed(R).

% the intervals that are longer than V; one that is open counts up to the query time
intDurGreater(If, V, I) :-
    findall((S,E), (member((S,E), If), (E \= inf -> (Diff is E - S, Diff > V) ; (queryTime(QT), Diff is QT - S, Diff > V))), I).

% used by another program only
visitors_of(Guide, Visitors) :- findall(V, guided_by(V, Guide), Visitors).

% who is near whom is computed from positions before a window is looked at
preProcessing(QueryTime) :-
    findall(P1, (iePList(P1, near(P1,P2)=true, I, E), retract(iePList(P1, near(P1,P2)=true, I, E))), _),
    findall((P1,P2), (person(P1), person(P2), P1 @< P2, nearby(P1, P2, QueryTime)), _).

nearby(P1, P2, QueryTime) :-
    setof(T, close_at(P1, P2, T), Points), !,
    makeIntervalsFromAllPoints(Points, 40, QueryTime, [], L),
    assertz(iePList(P1, near(P1,P2)=true, L, [])).
% never near each other
nearby(_P1, _P2, _QueryTime).

close_at(P1, P2, T) :-
    holdsAtIE(position(P1,X1)=true, T),
    holdsAtIE(position(P2,X2)=true, T),
    D is abs(X1-X2),
    thresholds(near, N),
    D =< N.
