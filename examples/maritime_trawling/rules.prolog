% Two activities that show only in a vessel's repeated turning. A single turn
% proves little, so each turn opens a spell that closes by itself unless the next
% turn comes soon enough.

% --- where a vessel is --------------------------------------------------------

initiatedAt(withinArea(Vessel, AreaType)=true, T) :-
    happensAt(entersArea(Vessel, Area), T),
    areaType(Area, AreaType).

terminatedAt(withinArea(Vessel, AreaType)=true, T) :-
    happensAt(leavesArea(Vessel, Area), T),
    areaType(Area, AreaType).

% --- trawling: slow, and turning again and again over fishing grounds ----------

initiatedAt(trawlSpeed(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed), T),
    vesselType(Vessel, fishing),
    threshold(trawlSpeedMin, Min),
    threshold(trawlSpeedMax, Max),
    Speed >= Min,
    Speed =< Max.

terminatedAt(trawlSpeed(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed), T),
    threshold(trawlSpeedMin, Min),
    Speed < Min.

terminatedAt(trawlSpeed(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed), T),
    threshold(trawlSpeedMax, Max),
    Speed > Max.

initiatedAt(trawlingMovement(Vessel)=true, T) :-
    happensAt(change_in_heading(Vessel), T),
    vesselType(Vessel, fishing),
    holdsAt(withinArea(Vessel, fishing)=true, T).

% The spell ends this long after the LAST turn: every turn postpones the end.
fi(trawlingMovement(Vessel)=true, trawlingMovement(Vessel)=false, 10).
p(trawlingMovement(_Vessel)=true).

terminatedAt(trawlingMovement(Vessel)=true, T) :-
    happensAt(end(withinArea(Vessel, fishing)=true), T).

% A short spell is an evasive manoeuvre, not fishing.
holdsFor(trawling(Vessel)=true, I) :-
    holdsFor(trawlSpeed(Vessel)=true, AtTrawlSpeed),
    holdsFor(trawlingMovement(Vessel)=true, Turning),
    intersect_all([AtTrawlSpeed, Turning], Both),
    threshold(trawlingTime, MinDuration),
    intDurGreater(Both, MinDuration, I).

% --- search and rescue: fast, with changes of course or of speed ----------------

initiatedAt(rescueSpeed(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed), T),
    vesselType(Vessel, sar),
    threshold(rescueSpeedMin, Min),
    Speed >= Min.

terminatedAt(rescueSpeed(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed), T),
    threshold(rescueSpeedMin, Min),
    Speed < Min.

initiatedAt(rescueMovement(Vessel)=true, T) :-
    happensAt(change_in_heading(Vessel), T),
    vesselType(Vessel, sar).

initiatedAt(rescueMovement(Vessel)=true, T) :-
    happensAt(change_in_speed(Vessel), T),
    vesselType(Vessel, sar).

fi(rescueMovement(Vessel)=true, rescueMovement(Vessel)=false, 15).
p(rescueMovement(_Vessel)=true).

holdsFor(searchAndRescue(Vessel)=true, I) :-
    holdsFor(rescueSpeed(Vessel)=true, Fast),
    holdsFor(rescueMovement(Vessel)=true, Manoeuvring),
    intersect_all([Fast, Manoeuvring], Both),
    threshold(rescueTime, MinDuration),
    intDurGreater(Both, MinDuration, I).

% --- background ------------------------------------------------------------------

areaType(north_bank, fishing).
areaType(bird_rock, natura).

vesselType(petrel, fishing).
vesselType(heron, fishing).
vesselType(rescue_one, sar).

threshold(trawlSpeedMin, 2).
threshold(trawlSpeedMax, 9).
threshold(trawlingTime, 20).
threshold(rescueSpeedMin, 12).
threshold(rescueTime, 15).
