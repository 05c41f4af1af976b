% The same story told as stages of one fluent instead of a sequence of intervals.
% Each stage depends on the one before it, and ends it.

initiatedAt(fishing_trip(Vessel)=started, T) :-
    happensAt(entersArea(Vessel, Area), T),
    areaType(Area, fishing),
    \+ holdsAt(fishing_trip(Vessel)=fishing, T).

initiatedAt(fishing_trip(Vessel)=fishing, T) :-
    happensAt(nets_cast(Vessel), T),
    holdsAt(fishing_trip(Vessel)=started, T).

initiatedAt(fishing_trip(Vessel)=returning, T) :-
    happensAt(leavesArea(Vessel, Area), T),
    areaType(Area, fishing),
    holdsAt(fishing_trip(Vessel)=fishing, T).

initiatedAt(fishing_trip(Vessel)=ended, T) :-
    happensAt(entersArea(Vessel, Area), T),
    areaType(Area, nearPorts),
    holdsAt(fishing_trip(Vessel)=returning, T).

% Out and back without casting a net is no trip at all: no value is left.
terminatedAt(fishing_trip(Vessel)=started, T) :-
    happensAt(leavesArea(Vessel, Area), T),
    areaType(Area, fishing).

areaType(brest_port, nearPorts).
areaType(camaret_roads, anchorage).
areaType(north_bank, fishing).
