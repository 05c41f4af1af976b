% Trawling in stages. The last stage depends on the first through two other
% fluents, while each stage ends the one before: a circle through three fluents.
%
%   trawling=ready --> trawlingSpeed=true -----> trawling=ongoing
%                 \--> trawlingMovement=true --/

initiatedAt(trawling(Vessel)=ready, T) :-
    happensAt(entersArea(Vessel, fishingArea), T),
    vesselType(Vessel, fishingVessel).

% Speed and turns count only once the vessel is in place: otherwise every slow
% boat in a harbour would look like a trawler.
initiatedAt(trawlingSpeed(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed), T),
    isTrawlingSpeed(Speed),
    holdsAt(trawling(Vessel)=ready, T).

initiatedAt(trawlingMovement(Vessel)=true, T) :-
    happensAt(changeInHeading(Vessel), T),
    holdsAt(trawling(Vessel)=ready, T).

% This ends trawling=ready as well: a fluent has one value at a time.
initiatedAt(trawling(Vessel)=ongoing, T) :-
    happensAt(movementChange(Vessel), T),
    holdsAt(trawlingSpeed(Vessel)=true, T),
    holdsAt(trawlingMovement(Vessel)=true, T).

% --- how each of them ends ------------------------------------------------------

terminatedAt(trawling(Vessel)=_Stage, T) :-
    happensAt(leavesArea(Vessel, fishingArea), T).

terminatedAt(trawlingSpeed(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed), T),
    \+ isTrawlingSpeed(Speed).

terminatedAt(trawlingSpeed(Vessel)=true, T) :-
    happensAt(leavesArea(Vessel, fishingArea), T).

terminatedAt(trawlingMovement(Vessel)=true, T) :-
    happensAt(leavesArea(Vessel, fishingArea), T).

% Speeding up in the middle of a haul means that the nets are in: back to ready.
initiatedAt(trawling(Vessel)=ready, T) :-
    happensAt(velocity(Vessel, Speed), T),
    \+ isTrawlingSpeed(Speed),
    holdsAt(trawling(Vessel)=ongoing, T).

% --- background ------------------------------------------------------------------

isTrawlingSpeed(Speed) :-
    Speed >= 2,
    Speed =< 9.

vesselType(petrel, fishingVessel).
vesselType(heron, fishingVessel).
vesselType(tern, tanker).
