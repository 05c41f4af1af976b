% From critical points of vessel tracks to situations at sea.
%
% Input events     gap_start, gap_end, stop_start, stop_end, slow_motion_start, slow_motion_end,
%                  change_in_speed_start, change_in_speed_end, change_in_heading: (Vessel)
%                  turn(Vessel), velocity(Vessel, Speed, CourseOverGround, TrueHeading),
%                  entersArea(Vessel, Area), leavesArea(Vessel, Area)
% Input fluent     proximity(One, Other), One < Other
% Background       vesselType(Vessel, Type), areaType(Area, Kind): from the data set
%                  threshold(Name, Value), typeSpeed(Type, Slowest, Fastest): limits.prolog
% Time is in seconds, speed in knots, angles in degrees.
%
% Each level uses the intervals of those below and none above:
%   1  withinArea
%   2  gap, and the event fallsSilent
%   3  stopped, lowSpeed, changingSpeed, movingSpeed, highSpeedNearCoast, crawling, tuggingSpeed,
%      trawlSpeed, trawlingMovement, sarSpeed, sarMovement
%   4  underWay, anchoredOrMoored, idleAtSea, trawling, sar
%   5  of pairs: rendezVous, tugging, pilotBoarding; of one vessel: drifting, illegalFishing, fishedSinceMooring
%   6  and above: inCompany, loitering, fishing trips
% trawling_stages.prolog has trawling once more, as stages that depend on each other.

% === level 1: where a vessel is ========================================================================================

initiatedAt(withinArea(Vessel,Kind)=true, T) :-
    happensAt(entersArea(Vessel,Area), T),
    areaType(Area, Kind).

terminatedAt(withinArea(Vessel,Kind)=true, T) :-
    happensAt(leavesArea(Vessel,Area), T),
    areaType(Area, Kind).

% Once the signal is lost we no longer know where the vessel is.
terminatedAt(withinArea(Vessel,_Kind)=true, T) :-
    happensAt(gap_start(Vessel), T).

% The first report of a vessel may say at once that it is in port and that it lies still. What an event initiates holds
% from the next time-point on, so both have to be looked at.
inPort(Vessel, T) :-
    holdsAt(withinArea(Vessel,nearPorts)=true, T).
inPort(Vessel, T) :-
    happensAt(entersArea(Vessel,Area), T),
    areaType(Area, nearPorts).

% === level 2: silence ==================================================================================================

% Silence in port is normal, silence at sea is not: hence two values.
initiatedAt(gap(Vessel)=nearPorts, T) :-
    happensAt(gap_start(Vessel), T),
    inPort(Vessel, T).

initiatedAt(gap(Vessel)=farFromPorts, T) :-
    happensAt(gap_start(Vessel), T),
    \+ inPort(Vessel, T).

% A single report between two silences does not end the first.
terminatedAt(gap(Vessel)=_Where, T) :-
    happensAt(gap_end(Vessel), T),
    \+ happensAt(gap_start(Vessel), T).

happensAt(fallsSilent(Vessel), T) :-
    happensAt(start(gap(Vessel)=_Where), T).
happensAt(fallsSilent(Vessel), T) :-
    happensAt(gap_start(Vessel), T),
    holdsAt(gap(Vessel)=_Where, T).

% === level 3: how it moves =============================================================================================
% Whatever we believed about a vessel's movement ends when it falls silent.

initiatedAt(stopped(Vessel)=nearPorts, T) :-
    happensAt(stop_start(Vessel), T),
    inPort(Vessel, T).

initiatedAt(stopped(Vessel)=farFromPorts, T) :-
    happensAt(stop_start(Vessel), T),
    \+ inPort(Vessel, T).

terminatedAt(stopped(Vessel)=_Where, T) :-
    happensAt(stop_end(Vessel), T).

terminatedAt(stopped(Vessel)=_Where, T) :-
    happensAt(fallsSilent(Vessel), T).

initiatedAt(lowSpeed(Vessel)=true, T) :-
    happensAt(slow_motion_start(Vessel), T).

terminatedAt(lowSpeed(Vessel)=true, T) :-
    happensAt(slow_motion_end(Vessel), T).

terminatedAt(lowSpeed(Vessel)=true, T) :-
    happensAt(fallsSilent(Vessel), T).

initiatedAt(changingSpeed(Vessel)=true, T) :-
    happensAt(change_in_speed_start(Vessel), T).

terminatedAt(changingSpeed(Vessel)=true, T) :-
    happensAt(change_in_speed_end(Vessel), T).

terminatedAt(changingSpeed(Vessel)=true, T) :-
    happensAt(fallsSilent(Vessel), T).

% Fast for a tanker is slow for a ferry: speed is judged by the type of vessel.
initiatedAt(movingSpeed(Vessel)=below, T) :-
    happensAt(velocity(Vessel,Speed,_Course,_Heading), T),
    threshold(movingMin, MovingMin),
    vesselType(Vessel, Type),
    typeSpeed(Type, Slowest, _Fastest),
    Speed >= MovingMin,
    Speed < Slowest.

initiatedAt(movingSpeed(Vessel)=normal, T) :-
    happensAt(velocity(Vessel,Speed,_Course,_Heading), T),
    vesselType(Vessel, Type),
    typeSpeed(Type, Slowest, Fastest),
    Speed >= Slowest,
    Speed =< Fastest.

initiatedAt(movingSpeed(Vessel)=above, T) :-
    happensAt(velocity(Vessel,Speed,_Course,_Heading), T),
    vesselType(Vessel, Type),
    typeSpeed(Type, _Slowest, Fastest),
    Speed > Fastest.

terminatedAt(movingSpeed(Vessel)=_Pace, T) :-
    happensAt(velocity(Vessel,Speed,_Course,_Heading), T),
    threshold(movingMin, MovingMin),
    Speed < MovingMin.

terminatedAt(movingSpeed(Vessel)=_Pace, T) :-
    happensAt(fallsSilent(Vessel), T).

initiatedAt(highSpeedNearCoast(Vessel)=true, T) :-
    happensAt(velocity(Vessel,Speed,_Course,_Heading), T),
    threshold(nearCoastMax, Max),
    Speed > Max,
    holdsAt(withinArea(Vessel,nearCoast)=true, T).

terminatedAt(highSpeedNearCoast(Vessel)=true, T) :-
    happensAt(velocity(Vessel,Speed,_Course,_Heading), T),
    threshold(nearCoastMax, Max),
    Speed =< Max.

% Falling silent ends withinArea, and so this as well.
terminatedAt(highSpeedNearCoast(Vessel)=true, T) :-
    happensAt(end(withinArea(Vessel,nearCoast)=true), T).

% --- hardly moving: too slow to be on the way to anywhere ------------------------------------------------------------------

initiatedAt(crawling(Vessel)=true, T) :-
    happensAt(velocity(Vessel,Speed,_Course,_Heading), T),
    threshold(crawlingMax, Max),
    Speed =< Max.

terminatedAt(crawling(Vessel)=true, T) :-
    happensAt(velocity(Vessel,Speed,_Course,_Heading), T),
    threshold(crawlingMax, Max),
    Speed > Max.

terminatedAt(crawling(Vessel)=true, T) :-
    happensAt(fallsSilent(Vessel), T).

% --- tugging: tow and tug move at the pace of a tow ---------------------------------------------------------------------

initiatedAt(tuggingSpeed(Vessel)=true, T) :-
    happensAt(velocity(Vessel,Speed,_Course,_Heading), T),
    threshold(tuggingMin, Min),
    threshold(tuggingMax, Max),
    Speed >= Min,
    Speed =< Max.

terminatedAt(tuggingSpeed(Vessel)=true, T) :-
    happensAt(velocity(Vessel,Speed,_Course,_Heading), T),
    threshold(tuggingMin, Min),
    Speed < Min.

terminatedAt(tuggingSpeed(Vessel)=true, T) :-
    happensAt(velocity(Vessel,Speed,_Course,_Heading), T),
    threshold(tuggingMax, Max),
    Speed > Max.

terminatedAt(tuggingSpeed(Vessel)=true, T) :-
    happensAt(fallsSilent(Vessel), T).

% --- trawling: slow, and turning again and again over fishing grounds -----------------------------------------------------

initiatedAt(trawlSpeed(Vessel)=true, T) :-
    happensAt(velocity(Vessel,Speed,_Course,_Heading), T),
    vesselType(Vessel, fishing),
    threshold(trawlSpeedMin, Min),
    threshold(trawlSpeedMax, Max),
    Speed >= Min,
    Speed =< Max.

terminatedAt(trawlSpeed(Vessel)=true, T) :-
    happensAt(velocity(Vessel,Speed,_Course,_Heading), T),
    threshold(trawlSpeedMin, Min),
    Speed < Min.

terminatedAt(trawlSpeed(Vessel)=true, T) :-
    happensAt(velocity(Vessel,Speed,_Course,_Heading), T),
    threshold(trawlSpeedMax, Max),
    Speed > Max.

terminatedAt(trawlSpeed(Vessel)=true, T) :-
    happensAt(fallsSilent(Vessel), T).

% No message says that the nets are in. So a turn starts a spell, and the spell ends by itself some time after the LAST
% turn: every turn postpones the end.
initiatedAt(trawlingMovement(Vessel)=true, T) :-
    happensAt(change_in_heading(Vessel), T),
    vesselType(Vessel, fishing),
    holdsAt(withinArea(Vessel,fishing)=true, T).

fi(trawlingMovement(Vessel)=true, trawlingMovement(Vessel)=false, Delay) :-
    threshold(trawlingPause, Delay).
p(trawlingMovement(_Vessel)=true).

% Leaving the grounds ends it, and so does silence, which ends withinArea.
terminatedAt(trawlingMovement(Vessel)=true, T) :-
    happensAt(end(withinArea(Vessel,fishing)=true), T).

% --- search and rescue: fast, with many changes of course or of speed -----------------------------------------------------

initiatedAt(sarSpeed(Vessel)=true, T) :-
    happensAt(velocity(Vessel,Speed,_Course,_Heading), T),
    vesselType(Vessel, sar),
    threshold(sarSpeedMin, Min),
    Speed >= Min.

terminatedAt(sarSpeed(Vessel)=true, T) :-
    happensAt(velocity(Vessel,Speed,_Course,_Heading), T),
    threshold(sarSpeedMin, Min),
    Speed < Min.

terminatedAt(sarSpeed(Vessel)=true, T) :-
    happensAt(fallsSilent(Vessel), T).

initiatedAt(sarMovement(Vessel)=true, T) :-
    happensAt(change_in_heading(Vessel), T),
    vesselType(Vessel, sar).

initiatedAt(sarMovement(Vessel)=true, T) :-
    happensAt(change_in_speed_start(Vessel), T),
    vesselType(Vessel, sar).

fi(sarMovement(Vessel)=true, sarMovement(Vessel)=false, Delay) :-
    threshold(sarPause, Delay).
p(sarMovement(_Vessel)=true).

terminatedAt(sarMovement(Vessel)=true, T) :-
    happensAt(fallsSilent(Vessel), T).

% === level 4: what it is doing =========================================================================================
% No events here: these are combinations of intervals.

holdsFor(underWay(Vessel)=true, I) :-
    holdsFor(movingSpeed(Vessel)=below, Below),
    holdsFor(movingSpeed(Vessel)=normal, Normal),
    holdsFor(movingSpeed(Vessel)=above, Above),
    union_all([Below,Normal,Above], I).

holdsFor(anchoredOrMoored(Vessel)=true, I) :-
    holdsFor(stopped(Vessel)=farFromPorts, StoppedAtSea),
    holdsFor(withinArea(Vessel,anchorage)=true, OnAnchorage),
    intersect_all([StoppedAtSea,OnAnchorage], Anchored),
    holdsFor(stopped(Vessel)=nearPorts, Moored),
    union_all([Anchored,Moored], I).

% Slow or still, out of port and not hugging the coast.
holdsFor(idleAtSea(Vessel)=true, I) :-
    holdsFor(lowSpeed(Vessel)=true, Slow),
    holdsFor(stopped(Vessel)=farFromPorts, StoppedAtSea),
    union_all([Slow,StoppedAtSea], Idle),
    holdsFor(withinArea(Vessel,nearPorts)=true, NearPorts),
    holdsFor(withinArea(Vessel,nearCoast)=true, NearCoast),
    relative_complement_all(Idle, [NearPorts,NearCoast], I).

% A short spell is an evasive manoeuvre, not fishing.
holdsFor(trawling(Vessel)=true, I) :-
    holdsFor(trawlSpeed(Vessel)=true, AtTrawlSpeed),
    holdsFor(trawlingMovement(Vessel)=true, Turning),
    intersect_all([AtTrawlSpeed,Turning], Both),
    threshold(trawlingTime, MinDuration),
    intDurGreater(Both, MinDuration, I).

holdsFor(sar(Vessel)=true, I) :-
    holdsFor(sarSpeed(Vessel)=true, Fast),
    holdsFor(sarMovement(Vessel)=true, Manoeuvring),
    intersect_all([Fast,Manoeuvring], Both),
    threshold(sarTime, MinDuration),
    intDurGreater(Both, MinDuration, I).

% === level 5: what they are doing together ==============================================================================

% Two vessels side by side at sea, hardly moving, and neither is there to tow or to bring a pilot.
holdsFor(rendezVous(One,Other)=true, I) :-
    holdsFor(proximity(One,Other)=true, Close),
    vesselType(One, OneType),
    vesselType(Other, OtherType),
    mayMeet(OneType, OtherType),
    holdsFor(idleAtSea(One)=true, OneIdle),
    holdsFor(idleAtSea(Other)=true, OtherIdle),
    holdsFor(crawling(One)=true, OneCrawls),
    holdsFor(crawling(Other)=true, OtherCrawls),
    intersect_all([Close,OneIdle,OtherIdle,OneCrawls,OtherCrawls], Together),
    threshold(rendezVousTime, MinDuration),
    intDurGreater(Together, MinDuration, I).

holdsFor(tugging(One,Other)=true, I) :-
    holdsFor(proximity(One,Other)=true, Close),
    vesselType(One, OneType),
    vesselType(Other, OtherType),
    mayTow(OneType, OtherType),
    holdsFor(tuggingSpeed(One)=true, OnePace),
    holdsFor(tuggingSpeed(Other)=true, OtherPace),
    intersect_all([Close,OnePace,OtherPace], Towing),
    threshold(tuggingTime, MinDuration),
    intDurGreater(Towing, MinDuration, I).

holdsFor(pilotBoarding(One,Other)=true, I) :-
    holdsFor(proximity(One,Other)=true, Close),
    vesselType(One, OneType),
    vesselType(Other, OtherType),
    mayBoard(OneType, OtherType),
    holdsFor(idleAtSea(One)=true, OneIdle),
    holdsFor(idleAtSea(Other)=true, OtherIdle),
    intersect_all([Close,OneIdle,OtherIdle], Together),
    threshold(boardingTime, MinDuration),
    intDurGreater(Together, MinDuration, I).

% --- and what follows from what one is doing ---------------------------------------------------------------------------------

% Slow, and not moving in the direction of the bow: wind and current push it sideways. 511 is "no heading" in AIS.
initiatedAt(drifting(Vessel)=true, T) :-
    happensAt(velocity(Vessel,Speed,Course,Heading), T),
    threshold(driftMax, Max),
    Speed =< Max,
    Heading < 360,
    threshold(driftAngle, Angle),
    Difference is abs(Course - Heading),
    min(Difference,360 - Difference) > Angle,
    holdsAt(underWay(Vessel)=true, T).

terminatedAt(drifting(Vessel)=true, T) :-
    happensAt(velocity(Vessel,_Speed,Course,Heading), T),
    Heading < 360,
    threshold(driftAngle, Angle),
    Difference is abs(Course - Heading),
    min(Difference,360 - Difference) =< Angle.

terminatedAt(drifting(Vessel)=true, T) :-
    happensAt(velocity(Vessel,Speed,_Course,_Heading), T),
    threshold(driftMax, Max),
    Speed > Max.

terminatedAt(drifting(Vessel)=true, T) :-
    happensAt(end(underWay(Vessel)=true), T).

% Whoever of the two it is, and whatever they are doing together.
initiatedAt(inCompany(Vessel)=true, T) :-
    (   happensAt(start(rendezVous(Vessel,_Other)=true), T)
    ;   happensAt(start(rendezVous(_Other,Vessel)=true), T)
    ;   happensAt(start(tugging(Vessel,_Other)=true), T)
    ;   happensAt(start(tugging(_Other,Vessel)=true), T)
    ;   happensAt(start(pilotBoarding(Vessel,_Other)=true), T)
    ;   happensAt(start(pilotBoarding(_Other,Vessel)=true), T)
    ).

terminatedAt(inCompany(Vessel)=true, T) :-
    (   happensAt(end(rendezVous(Vessel,_Other)=true), T)
    ;   happensAt(end(rendezVous(_Other,Vessel)=true), T)
    ;   happensAt(end(tugging(Vessel,_Other)=true), T)
    ;   happensAt(end(tugging(_Other,Vessel)=true), T)
    ;   happensAt(end(pilotBoarding(Vessel,_Other)=true), T)
    ;   happensAt(end(pilotBoarding(_Other,Vessel)=true), T)
    ).

% Idle at sea for long with no visible reason.
holdsFor(loitering(Vessel)=true, I) :-
    holdsFor(idleAtSea(Vessel)=true, Idle),
    holdsFor(anchoredOrMoored(Vessel)=true, Moored),
    holdsFor(trawling(Vessel)=true, Trawling),
    holdsFor(drifting(Vessel)=true, Drifting),
    holdsFor(inCompany(Vessel)=true, InCompany),
    relative_complement_all(Idle, [Moored,Trawling,Drifting,InCompany], LongOrShort),
    threshold(loiteringTime, MinDuration),
    intDurGreater(LongOrShort, MinDuration, I).

holdsFor(illegalFishing(Vessel)=true, I) :-
    holdsFor(trawling(Vessel)=true, Trawling),
    holdsFor(withinArea(Vessel,natura)=true, Protected),
    intersect_all([Trawling,Protected], I).

% --- fishing trips: one thing after another -------------------------------------------------------------------------------

holdsFor(fishingTripStart(Vessel)=true, I) :-
    vesselType(Vessel, fishing),
    holdsFor(anchoredOrMoored(Vessel)=true, Moored),
    holdsFor(withinArea(Vessel,fishing)=true, OnGrounds),
    seq(Moored, OnGrounds, I).

initiatedAt(fishedSinceMooring(Vessel)=true, T) :-
    happensAt(start(trawling(Vessel)=true), T).

terminatedAt(fishedSinceMooring(Vessel)=true, T) :-
    happensAt(start(anchoredOrMoored(Vessel)=true), T).

% Moored, then out until it is moored again with some trawling in between; the trip is that without the mooring.
holdsFor(fishingTrip(Vessel)=true, I) :-
    holdsFor(anchoredOrMoored(Vessel)=true, Moored),
    holdsFor(fishedSinceMooring(Vessel)=true, Fished),
    seq(Moored, Fished, MooredThenFished),
    relative_complement_all(MooredThenFished, [Moored], I).

% === background ========================================================================================================
% About types, not vessels: there are few of them, so all pairs are soon gone through.

type(Type) :-
    typeSpeed(Type, _Slowest, _Fastest).

mayMeet(OneType, OtherType) :-
    type(OneType),
    type(OtherType),
    \+ serves(OneType),
    \+ serves(OtherType).

mayTow(tug, OtherType) :-
    type(OtherType),
    OtherType \= tug.
mayTow(OneType, tug) :-
    type(OneType),
    OneType \= tug.

mayBoard(pilot, OtherType) :-
    type(OtherType),
    \+ serves(OtherType).
mayBoard(OneType, pilot) :-
    type(OneType),
    \+ serves(OneType).

serves(tug).
serves(pilot).
