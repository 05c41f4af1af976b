/* A camera reports, 25 times a second, who walks; doors report who comes and goes. */

initiatedAt(inside(P, Room)=true, T) :-
    happensAt(enters(P, Room), T),
    open_room(Room).
terminatedAt(inside(P, Room)=true, T) :-
    happensAt(leaves(P, Room), T).

% somebody who stands still in front of something for a while looks at it
initiatedAt(attention(P)=true, T) :-
    happensAt(end(walking(P)=true), T),
    holdsAt(inside(P, _Room)=true, T).
fi(attention(P)=true, attention(P)=false, 160).
initiatedAt(attention(P)=false, T) :-
    happensAt(start(walking(P)=true), T).

holdsFor(together(P1, P2)=true, I) :-
    holdsFor(inside(P1, gallery)=true, I1),
    \+ I1=[],
    holdsFor(inside(P2, gallery)=true, I2),
    \+ I2=[], !,
    intersect_all([I1, I2], I).

% the rule below is the result of the above checks
holdsFor(together(_P1, _P2)=true, []).

holdsFor(long_walk(P)=true, I) :-
    holdsFor(walking(P)=true, I1),
    thresholds(walk, W),
    intDurGreater(I1, W, I).

holdsFor(talking(P1, P2)=true, I) :-
    holdsFor(near(P1, P2)=true, I1),
    holdsFor(together(P1, P2)=true, I2),
    intersect_all([I1, I2], I).

% The elements of these domains are derived from the arguments of the input
dynamicDomain(person(_P)).

grounding(enters(P, _)) :- person(P).
grounding(leaves(P, _)) :- person(P).
grounding(walking(P)=true) :- person(P).

grounding(inside(P, R)=true) :- person(P), room(R).
grounding(attention(P)=true) :- person(P).
grounding(attention(P)=false) :- person(P).
grounding(together(P1, P2)=true) :- person(P1), person(P2), P1 @< P2.
grounding(position(P, _)=true) :- person(P).
grounding(talking(P1, P2)=true) :- person(P1), person(P2), P1 @< P2.
grounding(long_walk(P)=true) :- person(P).

points(walking(_)=true).
points(position(_, _)=true).
buildFromPoints(walking(_)=true).

index(enters(P, _), P).
