% From critical points of vessel tracks to composite activities, in four levels:
%   1  withinArea
%   2  gap, highSpeedNearCoast
%   3  stopped, lowSpeed, changingSpeed, movingSpeed
%   4  underWay, anchoredOrMoored, rendezVous, loitering
% Each level uses the intervals of those below and none above.

% === level 1 =====================================================================

initiatedAt(withinArea(Vessel, AreaType)=true, T) :-
    happensAt(entersArea(Vessel, Area), T),
    areaType(Area, AreaType).

terminatedAt(withinArea(Vessel, AreaType)=true, T) :-
    happensAt(leavesArea(Vessel, Area), T),
    areaType(Area, AreaType).

% Once the signal is lost we no longer know where the vessel is.
terminatedAt(withinArea(Vessel, _AreaType)=true, T) :-
    happensAt(gap_start(Vessel), T).

% === level 2 =====================================================================

% Silence in port is normal, silence at sea is not: hence two values.
initiatedAt(gap(Vessel)=nearPorts, T) :-
    happensAt(gap_start(Vessel), T),
    holdsAt(withinArea(Vessel, nearPorts)=true, T).

initiatedAt(gap(Vessel)=farFromPorts, T) :-
    happensAt(gap_start(Vessel), T),
    \+ holdsAt(withinArea(Vessel, nearPorts)=true, T).

terminatedAt(gap(Vessel)=nearPorts, T) :-
    happensAt(gap_end(Vessel), T).

terminatedAt(gap(Vessel)=farFromPorts, T) :-
    happensAt(gap_end(Vessel), T).

initiatedAt(highSpeedNearCoast(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed), T),
    threshold(nearCoastMax, Max),
    Speed > Max,
    holdsAt(withinArea(Vessel, nearCoast)=true, T).

terminatedAt(highSpeedNearCoast(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed), T),
    threshold(nearCoastMax, Max),
    Speed =< Max.

terminatedAt(highSpeedNearCoast(Vessel)=true, T) :-
    happensAt(end(withinArea(Vessel, nearCoast)=true), T).

% === level 3 =====================================================================
% Whatever we believed about a vessel's movement ends when it falls silent.

initiatedAt(stopped(Vessel)=nearPorts, T) :-
    happensAt(stop_start(Vessel), T),
    holdsAt(withinArea(Vessel, nearPorts)=true, T).

initiatedAt(stopped(Vessel)=farFromPorts, T) :-
    happensAt(stop_start(Vessel), T),
    \+ holdsAt(withinArea(Vessel, nearPorts)=true, T).

terminatedAt(stopped(Vessel)=_Where, T) :-
    happensAt(stop_end(Vessel), T).

terminatedAt(stopped(Vessel)=_Where, T) :-
    happensAt(start(gap(Vessel)=_Silence), T).

initiatedAt(lowSpeed(Vessel)=true, T) :-
    happensAt(slow_motion_start(Vessel), T).

terminatedAt(lowSpeed(Vessel)=true, T) :-
    happensAt(slow_motion_end(Vessel), T).

terminatedAt(lowSpeed(Vessel)=true, T) :-
    happensAt(start(gap(Vessel)=_Silence), T).

initiatedAt(changingSpeed(Vessel)=true, T) :-
    happensAt(change_in_speed_start(Vessel), T).

terminatedAt(changingSpeed(Vessel)=true, T) :-
    happensAt(change_in_speed_end(Vessel), T).

terminatedAt(changingSpeed(Vessel)=true, T) :-
    happensAt(start(gap(Vessel)=_Silence), T).

% Fast for a tanker is slow for a ferry: speed is judged by type of vessel.
initiatedAt(movingSpeed(Vessel)=below, T) :-
    happensAt(velocity(Vessel, Speed), T),
    threshold(movingMin, MovingMin),
    vesselType(Vessel, Type),
    typeSpeed(Type, Slowest, _Fastest),
    Speed >= MovingMin,
    Speed < Slowest.

initiatedAt(movingSpeed(Vessel)=normal, T) :-
    happensAt(velocity(Vessel, Speed), T),
    vesselType(Vessel, Type),
    typeSpeed(Type, Slowest, Fastest),
    Speed >= Slowest,
    Speed =< Fastest.

initiatedAt(movingSpeed(Vessel)=above, T) :-
    happensAt(velocity(Vessel, Speed), T),
    vesselType(Vessel, Type),
    typeSpeed(Type, _Slowest, Fastest),
    Speed > Fastest.

terminatedAt(movingSpeed(Vessel)=_Pace, T) :-
    happensAt(velocity(Vessel, Speed), T),
    threshold(movingMin, MovingMin),
    Speed < MovingMin.

terminatedAt(movingSpeed(Vessel)=_Pace, T) :-
    happensAt(start(gap(Vessel)=_Silence), T).

% === level 4 =====================================================================
% No events here: these are Boolean combinations of intervals.

holdsFor(underWay(Vessel)=true, I) :-
    holdsFor(movingSpeed(Vessel)=below, Below),
    holdsFor(movingSpeed(Vessel)=normal, Normal),
    holdsFor(movingSpeed(Vessel)=above, Above),
    union_all([Below, Normal, Above], I).

holdsFor(anchoredOrMoored(Vessel)=true, I) :-
    holdsFor(stopped(Vessel)=farFromPorts, StoppedAtSea),
    holdsFor(withinArea(Vessel, anchorage)=true, OnAnchorage),
    intersect_all([StoppedAtSea, OnAnchorage], Anchored),
    holdsFor(stopped(Vessel)=nearPorts, Moored),
    union_all([Anchored, Moored], I).

% proximity is an input fluent: the spatial work was done before.
holdsFor(rendezVous(One, Other)=true, I) :-
    holdsFor(proximity(One, Other)=true, Close),
    holdsFor(lowSpeed(One)=true, OneSlow),
    holdsFor(lowSpeed(Other)=true, OtherSlow),
    holdsFor(stopped(One)=farFromPorts, OneStopped),
    holdsFor(stopped(Other)=farFromPorts, OtherStopped),
    union_all([OneSlow, OneStopped], OneIdle),
    union_all([OtherSlow, OtherStopped], OtherIdle),
    intersect_all([OneIdle, OtherIdle, Close], I).

% Idle at sea with no visible reason: not by the coast, not on an anchorage.
holdsFor(loitering(Vessel)=true, I) :-
    holdsFor(lowSpeed(Vessel)=true, Slow),
    holdsFor(stopped(Vessel)=farFromPorts, StoppedAtSea),
    union_all([Slow, StoppedAtSea], Idle),
    holdsFor(withinArea(Vessel, nearCoast)=true, NearCoast),
    holdsFor(withinArea(Vessel, anchorage)=true, OnAnchorage),
    relative_complement_all(Idle, [NearCoast, OnAnchorage], LongOrShort),
    threshold(loiteringTime, MinDuration),
    intDurGreater(LongOrShort, MinDuration, I).

% === background ==================================================================

areaType(brest_port, nearPorts).
areaType(west_coast, nearCoast).
areaType(camaret_roads, anchorage).

vesselType(aurora, cargo).
vesselType(boreas, tanker).
vesselType(ceres, ferry).

typeSpeed(cargo, 8, 15).
typeSpeed(tanker, 7, 13).
typeSpeed(ferry, 14, 25).

threshold(movingMin, 1).
threshold(nearCoastMax, 5).
threshold(loiteringTime, 8).
