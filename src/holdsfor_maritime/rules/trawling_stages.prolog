% Trawling once more, as stages. A haul is ongoing when speed and movement fit; these count only while the vessel is
% ready; and a haul that is ongoing is not ready any more. So three fluents depend on each other in a circle:
%
%   haul=ready --> haulSpeed=true -----> haul=ongoing
%             \--> haulMovement=true --/

initiatedAt(haul(Vessel)=ready, T) :-
    happensAt(entersArea(Vessel,Area), T),
    areaType(Area, fishing),
    vesselType(Vessel, fishing).

% Speed and turns count only once the vessel is in place: otherwise every slow boat in a harbour would look like a
% trawler.
initiatedAt(haulSpeed(Vessel)=true, T) :-
    happensAt(velocity(Vessel,Speed,_Course,_Heading), T),
    vesselType(Vessel, fishing),
    threshold(trawlSpeedMin, Min),
    threshold(trawlSpeedMax, Max),
    Speed >= Min,
    Speed =< Max,
    holdsAt(haul(Vessel)=ready, T).

initiatedAt(haulMovement(Vessel)=true, T) :-
    happensAt(change_in_heading(Vessel), T),
    vesselType(Vessel, fishing),
    holdsAt(haul(Vessel)=ready, T).

% This ends haul=ready as well: a fluent has one value at a time.
initiatedAt(haul(Vessel)=ongoing, T) :-
    happensAt(turn(Vessel), T),
    vesselType(Vessel, fishing),
    holdsAt(haulSpeed(Vessel)=true, T),
    holdsAt(haulMovement(Vessel)=true, T).

% Too fast or too slow in the middle of a haul: the nets are in, back to ready. trawlSpeed knows when that is.
initiatedAt(haul(Vessel)=ready, T) :-
    happensAt(end(trawlSpeed(Vessel)=true), T),
    holdsAt(haul(Vessel)=ongoing, T).

terminatedAt(haulSpeed(Vessel)=true, T) :-
    happensAt(end(trawlSpeed(Vessel)=true), T).

terminatedAt(haulMovement(Vessel)=true, T) :-
    happensAt(end(trawlSpeed(Vessel)=true), T).

% Off the grounds, or silent, nothing is known of a haul.
terminatedAt(haul(Vessel)=_Stage, T) :-
    happensAt(end(withinArea(Vessel,fishing)=true), T).

terminatedAt(haulSpeed(Vessel)=true, T) :-
    happensAt(end(withinArea(Vessel,fishing)=true), T).

terminatedAt(haulMovement(Vessel)=true, T) :-
    happensAt(end(withinArea(Vessel,fishing)=true), T).
