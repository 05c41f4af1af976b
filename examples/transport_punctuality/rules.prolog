% How punctual is a vehicle? It falls from high to mid to low, one step for each
% mistake, and climbs back one step for each arrival on time. Every value depends
% on another value of the same fluent.

initiatedAt(punctuality(Vehicle)=high, T) :-
    happensAt(stop_enter(Vehicle, _Kind, _Stop, scheduled), T),
    \+ holdsAt(punctuality(Vehicle)=low, T).

initiatedAt(punctuality(Vehicle)=mid, T) :-
    happensAt(stop_enter(Vehicle, _Kind, _Stop, scheduled), T),
    holdsAt(punctuality(Vehicle)=low, T).

% Leaving early is worse than arriving early: passengers miss their bus.
initiatedAt(punctuality(Vehicle)=mid, T) :-
    happensAt(stop_leave(Vehicle, _Kind, _Stop, early), T),
    holdsAt(punctuality(Vehicle)=high, T).

initiatedAt(punctuality(Vehicle)=low, T) :-
    happensAt(stop_leave(Vehicle, _Kind, _Stop, early), T),
    holdsAt(punctuality(Vehicle)=mid, T).

initiatedAt(punctuality(Vehicle)=mid, T) :-
    happensAt(stop_enter(Vehicle, _Kind, _Stop, late), T),
    holdsAt(punctuality(Vehicle)=high, T).

initiatedAt(punctuality(Vehicle)=low, T) :-
    happensAt(stop_enter(Vehicle, _Kind, _Stop, late), T),
    holdsAt(punctuality(Vehicle)=mid, T).

% The control room is told once things are bad, until they are good again.
initiatedAt(alert(Vehicle)=true, T) :-
    happensAt(start(punctuality(Vehicle)=low), T).

terminatedAt(alert(Vehicle)=true, T) :-
    happensAt(start(punctuality(Vehicle)=high), T).
