% Stage 2: stage 1, and the two start to talk.

% --- greeting: both wave at each other from a few metres away -----------------

initiatedAt(interaction(P, Q)=greeting, T) :-
    happensAt(active(P), T),
    happensAt(active(Q), T),
    holdsAt(distance(P, Q)=mid, T),
    holdsAt(orientation(P, Q)=facing, T).

% Whoever walks off looking elsewhere is done greeting. The other person appears
% in the head only: the rule speaks about everybody P was greeting.
terminatedAt(interaction(P, Q)=greeting, T) :-
    happensAt(walking(P), T),
    \+ holdsAt(orientation(P, Q)=facing, T).

terminatedAt(interaction(P, Q)=greeting, T) :-
    happensAt(walking(Q), T),
    \+ holdsAt(orientation(P, Q)=facing, T).

% --- gathering: one of them walks towards the other ---------------------------

initiatedAt(movement(P, Q)=gathering, T) :-
    happensAt(walking(P), T),
    holdsAt(distance(P, Q)=mid, T),
    holdsAt(orientation(P, Q)=facing, T).

initiatedAt(movement(P, Q)=gathering, T) :-
    happensAt(walking(Q), T),
    holdsAt(distance(P, Q)=mid, T),
    holdsAt(orientation(P, Q)=facing, T).

% Arms moving and feet still on both sides: they have arrived.
terminatedAt(movement(P, Q)=gathering, T) :-
    happensAt(active(P), T),
    \+ happensAt(walking(Q), T).

terminatedAt(movement(P, Q)=gathering, T) :-
    happensAt(active(Q), T),
    \+ happensAt(walking(P), T).

% --- talking: close, face to face, and no longer approaching -------------------
% A second value of interaction, one level above movement: starting to talk ends
% the greeting.

initiatedAt(interaction(P, Q)=talking, T) :-
    happensAt(active(P), T),
    holdsAt(distance(P, Q)=short, T),
    holdsAt(orientation(P, Q)=facing, T),
    \+ holdsAt(movement(P, Q)=gathering, T).

initiatedAt(interaction(P, Q)=talking, T) :-
    happensAt(active(Q), T),
    holdsAt(distance(P, Q)=short, T),
    holdsAt(orientation(P, Q)=facing, T),
    \+ holdsAt(movement(P, Q)=gathering, T).

terminatedAt(interaction(P, Q)=talking, T) :-
    happensAt(inactive(P), T),
    happensAt(inactive(Q), T).
