% A fishing trip is one thing after another: in port, out on the fishing grounds,
% on the way home. seq(A, B, I) pairs each interval of A with the next one of B
% when no other interval of either lies between them.

% --- where a vessel is, and whether it lies still ------------------------------

initiatedAt(withinArea(Vessel, AreaType)=true, T) :-
    happensAt(entersArea(Vessel, Area), T),
    areaType(Area, AreaType).

terminatedAt(withinArea(Vessel, AreaType)=true, T) :-
    happensAt(leavesArea(Vessel, Area), T),
    areaType(Area, AreaType).

initiatedAt(stopped(Vessel)=nearPorts, T) :-
    happensAt(stop_start(Vessel), T),
    holdsAt(withinArea(Vessel, nearPorts)=true, T).

initiatedAt(stopped(Vessel)=farFromPorts, T) :-
    happensAt(stop_start(Vessel), T),
    \+ holdsAt(withinArea(Vessel, nearPorts)=true, T).

terminatedAt(stopped(Vessel)=_Where, T) :-
    happensAt(stop_end(Vessel), T).

holdsFor(anchoredOrMoored(Vessel)=true, I) :-
    holdsFor(stopped(Vessel)=farFromPorts, StoppedAtSea),
    holdsFor(withinArea(Vessel, anchorage)=true, OnAnchorage),
    intersect_all([StoppedAtSea, OnAnchorage], Anchored),
    holdsFor(stopped(Vessel)=nearPorts, Moored),
    union_all([Anchored, Moored], I).

% --- fishing, and the way home ----------------------------------------------------

initiatedAt(netsOut(Vessel)=true, T) :-
    happensAt(nets_cast(Vessel), T).

terminatedAt(netsOut(Vessel)=true, T) :-
    happensAt(nets_hauled(Vessel), T).

holdsFor(fishing(Vessel)=true, I) :-
    holdsFor(netsOut(Vessel)=true, NetsOut),
    holdsFor(withinArea(Vessel, fishing)=true, OnGrounds),
    intersect_all([NetsOut, OnGrounds], I).

initiatedAt(returning(Vessel)=true, T) :-
    happensAt(end(withinArea(Vessel, fishing)=true), T).

terminatedAt(returning(Vessel)=true, T) :-
    happensAt(start(anchoredOrMoored(Vessel)=true), T).

terminatedAt(returning(Vessel)=true, T) :-
    happensAt(start(withinArea(Vessel, fishing)=true), T).

% --- sequences --------------------------------------------------------------------
% The parts of a sequence must not overlap. These never do: nobody fishes in port.

holdsFor(fishingTripStart(Vessel)=true, I) :-
    holdsFor(anchoredOrMoored(Vessel)=true, InPort),
    holdsFor(withinArea(Vessel, fishing)=true, OnGrounds),
    seq(InPort, OnGrounds, I).

holdsFor(fishingTrip(Vessel)=true, I) :-
    holdsFor(anchoredOrMoored(Vessel)=true, InPort),
    holdsFor(fishing(Vessel)=true, Fishing),
    holdsFor(returning(Vessel)=true, Returning),
    seq(InPort, Fishing, UntilFishing),
    seq(UntilFishing, Returning, I).

% Nested the other way round. seq is associative, so the answer is the same.
holdsFor(fishingTripFromTheEnd(Vessel)=true, I) :-
    holdsFor(anchoredOrMoored(Vessel)=true, InPort),
    holdsFor(fishing(Vessel)=true, Fishing),
    holdsFor(returning(Vessel)=true, Returning),
    seq(Fishing, Returning, FromFishing),
    seq(InPort, FromFishing, I).

% --- background ---------------------------------------------------------------------

areaType(brest_port, nearPorts).
areaType(camaret_roads, anchorage).
areaType(north_bank, fishing).
