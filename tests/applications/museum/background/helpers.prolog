open_room(R) :- room(R), \+ closed(R).

% the intervals that are longer than V; one that is open counts up to the query time
intDurGreater(If, V, I) :-
    findall((S,E), (member((S,E), If), (E \= inf -> (Diff is E - S, Diff > V) ; (queryTime(QT), Diff is QT - S, Diff > V))), I).

% used by another program only: it computes its input in a way of its own
preProcessing(QueryTime) :-
    findall(P, (somebody(P), retract(list(P, QueryTime))), _).
