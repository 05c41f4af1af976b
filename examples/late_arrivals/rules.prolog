% Irrigation. The first rule has one literal of each kind: an event, a fluent, no
% event, no fluent. Any of the four can become true or false after the fact, when
% a report comes in late.

initiatedAt(irrigation(Plot)=on, T) :-
    happensAt(soil_dry(Plot), T),
    holdsAt(pressure(Plot)=ok, T),
    \+ happensAt(rain(Plot), T),
    \+ holdsAt(maintenance(Plot)=true, T).

terminatedAt(irrigation(Plot)=on, T) :-
    happensAt(soil_wet(Plot), T).

terminatedAt(irrigation(Plot)=on, T) :-
    happensAt(start(maintenance(Plot)=true), T).

terminatedAt(irrigation(Plot)=on, T) :-
    happensAt(end(pressure(Plot)=ok), T).

initiatedAt(pressure(Plot)=ok, T) :-
    happensAt(pressure_up(Plot), T).

terminatedAt(pressure(Plot)=ok, T) :-
    happensAt(pressure_down(Plot), T).

initiatedAt(maintenance(Plot)=true, T) :-
    happensAt(crew_arrives(Plot), T).

terminatedAt(maintenance(Plot)=true, T) :-
    happensAt(crew_leaves(Plot), T).
