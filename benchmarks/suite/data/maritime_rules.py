"""The rules of the maritime-like description, and how often each event occurs. Any engine can import them."""

from __future__ import annotations

HOURS = 16
RULES = """
initiatedAt(withinArea(V,Kind)=true, T) :- happensAt(entersArea(V,Area), T), areaType(Area, Kind).
terminatedAt(withinArea(V,Kind)=true, T) :- happensAt(leavesArea(V,Area), T), areaType(Area, Kind).
terminatedAt(withinArea(V,_Kind)=true, T) :- happensAt(gap_start(V), T).

initiatedAt(gap(V)=nearPorts, T) :- happensAt(gap_start(V), T), holdsAt(withinArea(V,nearPorts)=true, T).
initiatedAt(gap(V)=farFromPorts, T) :- happensAt(gap_start(V), T), \\+ holdsAt(withinArea(V,nearPorts)=true, T).
terminatedAt(gap(V)=_Where, T) :- happensAt(gap_end(V), T).

initiatedAt(stopped(V)=nearPorts, T) :- happensAt(stop_start(V), T), holdsAt(withinArea(V,nearPorts)=true, T).
initiatedAt(stopped(V)=farFromPorts, T) :- happensAt(stop_start(V), T), \\+ holdsAt(withinArea(V,nearPorts)=true, T).
terminatedAt(stopped(V)=_Where, T) :- happensAt(stop_end(V), T).
terminatedAt(stopped(V)=_Where, T) :- happensAt(gap_start(V), T).

initiatedAt(lowSpeed(V)=true, T) :- happensAt(slow_motion_start(V), T).
terminatedAt(lowSpeed(V)=true, T) :- happensAt(slow_motion_end(V), T).
terminatedAt(lowSpeed(V)=true, T) :- happensAt(gap_start(V), T).

initiatedAt(movingSpeed(V)=below, T) :- happensAt(velocity(V,S), T), S >= 0.5, S < 5.
initiatedAt(movingSpeed(V)=normal, T) :- happensAt(velocity(V,S), T), S >= 5, S < 15.
initiatedAt(movingSpeed(V)=above, T) :- happensAt(velocity(V,S), T), S >= 15.
terminatedAt(movingSpeed(V)=_Speed, T) :- happensAt(velocity(V,S), T), S < 0.5.
terminatedAt(movingSpeed(V)=_Speed, T) :- happensAt(gap_start(V), T).

holdsFor(underWay(V)=true, I) :-
    holdsFor(movingSpeed(V)=below, I1), holdsFor(movingSpeed(V)=normal, I2), holdsFor(movingSpeed(V)=above, I3),
    union_all([I1,I2,I3], I).

initiatedAt(trawlSpeed(V)=true, T) :- happensAt(velocity(V,S), T), S >= 1, S =< 9, holdsAt(withinArea(V,fishing)=true, T).
terminatedAt(trawlSpeed(V)=true, T) :- happensAt(velocity(V,S), T), S < 1.
terminatedAt(trawlSpeed(V)=true, T) :- happensAt(velocity(V,S), T), S > 9.
terminatedAt(trawlSpeed(V)=true, T) :- happensAt(gap_start(V), T).

initiatedAt(trawlingMovement(V)=true, T) :- happensAt(change_in_heading(V), T), holdsAt(withinArea(V,fishing)=true, T).
terminatedAt(trawlingMovement(V)=true, T) :- happensAt(gap_start(V), T).
fi(trawlingMovement(V)=true, trawlingMovement(V)=false, 600).
p(trawlingMovement(_V)=true).

holdsFor(trawling(V)=true, I) :-
    holdsFor(trawlSpeed(V)=true, I1), holdsFor(trawlingMovement(V)=true, I2), intersect_all([I1,I2], I).

holdsFor(rendezVous(V,W)=true, I) :-
    holdsFor(proximity(V,W)=true, I0),
    holdsFor(lowSpeed(V)=true, I1), holdsFor(stopped(V)=farFromPorts, I2), union_all([I1,I2], I3),
    holdsFor(lowSpeed(W)=true, I4), holdsFor(stopped(W)=farFromPorts, I5), union_all([I4,I5], I6),
    intersect_all([I0,I3,I6], I).

areaType(a0, fishing). areaType(a1, fishing). areaType(a2, nearPorts). areaType(a3, anchorage).
"""
# How often each event occurs, out of a hundred.
MIX = {
    "velocity": 40,
    "change_in_heading": 15,
    "entersArea": 7,
    "leavesArea": 7,
    "slow_motion_start": 6,
    "slow_motion_end": 6,
    "stop_start": 5,
    "stop_end": 5,
    "gap_start": 4,
    "gap_end": 5,
}
