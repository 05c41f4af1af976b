% What people do in front of a camera. A tracker gives one row a frame, every 40
% milliseconds: where somebody is, which way they look, and what they do.

% --- from frames to spells ---------------------------------------------------------
% `coord` rows are read as events, one for each person and frame. All other rows of
% the frame are input fluents that hold at its time-point only. What is initiated
% here goes on to the next frame by inertia, until that frame says otherwise.

initiatedAt(doing(P)=walking, T) :-
    happensAt(coord(true, P, _X, _Y), T),
    holdsAt(walking(P)=true, T).

initiatedAt(doing(P)=running, T) :-
    happensAt(coord(true, P, _X, _Y), T),
    holdsAt(running(P)=true, T).

initiatedAt(doing(P)=active, T) :-
    happensAt(coord(true, P, _X, _Y), T),
    holdsAt(active(P)=true, T).

initiatedAt(doing(P)=inactive, T) :-
    happensAt(coord(true, P, _X, _Y), T),
    holdsAt(inactive(P)=true, T).

initiatedAt(doing(P)=abrupt, T) :-
    happensAt(coord(true, P, _X, _Y), T),
    holdsAt(abrupt(P)=true, T).

terminatedAt(doing(P)=_Activity, T) :-
    happensAt(disappear(P), T).

% Bags are tracked too, and never move by themselves. Whoever does is a person.
initiatedAt(person(P)=true, T) :-
    happensAt(start(doing(P)=Activity), T),
    Activity \= inactive.

terminatedAt(person(P)=true, T) :-
    happensAt(disappear(P), T).

% --- two in one picture ------------------------------------------------------------

happensAt(seen(P, Q, Distance), T) :-
    happensAt(coord(true, P, Xp, Yp), T),
    happensAt(coord(true, Q, Xq, Yq), T),
    P @< Q,
    Distance is sqrt((Xp - Xq) ** 2 + (Yp - Yq) ** 2).

% How near is near depends on what for.
initiatedAt(near(P, Q, Purpose)=true, T) :-
    happensAt(seen(P, Q, Distance), T),
    reach(Purpose, Pixels),
    Distance =< Pixels.

terminatedAt(near(P, Q, Purpose)=true, T) :-
    happensAt(seen(P, Q, Distance), T),
    reach(Purpose, Pixels),
    Distance > Pixels.

terminatedAt(near(P, _Q, _Purpose)=true, T) :-
    happensAt(disappear(P), T).

terminatedAt(near(_P, Q, _Purpose)=true, T) :-
    happensAt(disappear(Q), T).

% Angles go round: 350 and 10 degrees are 20 apart.
initiatedAt(same_way(P, Q)=true, T) :-
    happensAt(seen(P, Q, _Distance), T),
    holdsAt(orientation(P)=A, T),
    holdsAt(orientation(Q)=B, T),
    180 - abs(180 - abs(A - B)) < 45.

terminatedAt(same_way(P, Q)=true, T) :-
    happensAt(seen(P, Q, _Distance), T),
    holdsAt(orientation(P)=A, T),
    holdsAt(orientation(Q)=B, T),
    180 - abs(180 - abs(A - B)) >= 45.

% --- what they are up to -------------------------------------------------------------

% Something that does not move appears next to a person: it was put down.
initiatedAt(leaving_object(P, Object)=true, T) :-
    happensAt(appear(Object), T),
    holdsAt(inactive(Object)=true, T),
    happensAt(coord(true, Object, Xo, Yo), T),
    happensAt(coord(true, P, Xp, Yp), T),
    holdsAt(person(P)=true, T),
    reach(leaving_object, Pixels),
    sqrt((Xp - Xo) ** 2 + (Yp - Yo) ** 2) =< Pixels.

terminatedAt(leaving_object(_P, Object)=true, T) :-
    happensAt(disappear(Object), T).

holdsFor(moving(P, Q)=true, I) :-
    holdsFor(doing(P)=walking, WalkingP),
    holdsFor(doing(Q)=walking, WalkingQ),
    holdsFor(near(P, Q, moving)=true, Near),
    holdsFor(same_way(P, Q)=true, SameWay),
    intersect_all([WalkingP, WalkingQ, Near, SameWay], I).

% Both stay where they are, for more than a second.
holdsFor(meeting(P, Q)=true, I) :-
    holdsFor(doing(P)=active, ActiveP),
    holdsFor(doing(P)=inactive, InactiveP),
    union_all([ActiveP, InactiveP], StaysP),
    holdsFor(doing(Q)=active, ActiveQ),
    holdsFor(doing(Q)=inactive, InactiveQ),
    union_all([ActiveQ, InactiveQ], StaysQ),
    holdsFor(person(P)=true, PersonP),
    holdsFor(person(Q)=true, PersonQ),
    holdsFor(near(P, Q, meeting)=true, Near),
    intersect_all([StaysP, StaysQ, PersonP, PersonQ, Near], Together),
    intDurGreater(Together, 1000, I).

% One of them moves abruptly, and nobody just lies there.
holdsFor(fighting(P, Q)=true, I) :-
    holdsFor(doing(P)=abrupt, AbruptP),
    holdsFor(doing(Q)=abrupt, AbruptQ),
    union_all([AbruptP, AbruptQ], Abrupt),
    holdsFor(near(P, Q, fighting)=true, Near),
    intersect_all([Abrupt, Near], Close),
    holdsFor(doing(P)=inactive, InactiveP),
    holdsFor(doing(Q)=inactive, InactiveQ),
    relative_complement_all(Close, [InactiveP, InactiveQ], I).

% --- background: distances in pixels ---------------------------------------------------

reach(leaving_object, 30).
reach(fighting, 24).
reach(meeting, 25).
reach(moving, 34).
