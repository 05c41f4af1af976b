% How well does a bus do its job? Sensors report stops, turns, braking, and what it
% is like inside. Level by level, they become a judgement about the ride.

% --- level 1: what the last report said ---------------------------------------------

initiatedAt(punctuality(Bus)=punctual, T) :-
    happensAt(stop_enter(Bus, _Kind, _Stop, scheduled), T).

initiatedAt(punctuality(Bus)=punctual, T) :-
    happensAt(stop_enter(Bus, _Kind, _Stop, early), T).

% Late at a stop, or gone too soon: either way, passengers are left standing.
initiatedAt(punctuality(Bus)=non_punctual, T) :-
    happensAt(stop_enter(Bus, _Kind, _Stop, late), T).

initiatedAt(punctuality(Bus)=non_punctual, T) :-
    happensAt(stop_leave(Bus, _Kind, _Stop, early), T).

% The value is whatever the sensor reports: nobody has to list the values.
initiatedAt(temperature(Bus)=Degree, T) :-
    happensAt(internal_temperature_change(Bus, _Kind, Degree), T).

initiatedAt(noise(Bus)=Level, T) :-
    happensAt(noise_level_change(Bus, _Kind, Level), T).

initiatedAt(density(Bus)=Level, T) :-
    happensAt(passenger_density_change(Bus, _Kind, Level), T).

% --- level 2: driving style, from intervals that come with the stream ------------------

holdsFor(unsafe(Bus)=true, I) :-
    holdsFor(sharp_turn(Bus, bus)=very_sharp, Turns),
    holdsFor(abrupt_acceleration(Bus, bus)=very_abrupt, Accelerates),
    holdsFor(abrupt_deceleration(Bus, bus)=very_abrupt, Brakes),
    union_all([Turns, Accelerates, Brakes], I).

% Rough, but not dangerous.
holdsFor(rough(Bus)=true, I) :-
    holdsFor(sharp_turn(Bus, bus)=sharp, Turns),
    holdsFor(abrupt_acceleration(Bus, bus)=abrupt, Accelerates),
    holdsFor(abrupt_deceleration(Bus, bus)=abrupt, Brakes),
    union_all([Turns, Accelerates, Brakes], Harsh),
    holdsFor(unsafe(Bus)=true, Unsafe),
    relative_complement_all(Harsh, [Unsafe], I).

% --- level 3: the quality of the ride has three values that never overlap ----------------

holdsFor(quality(Bus)=low, I) :-
    holdsFor(punctuality(Bus)=non_punctual, NonPunctual),
    holdsFor(unsafe(Bus)=true, Unsafe),
    union_all([NonPunctual, Unsafe], I).

holdsFor(quality(Bus)=medium, I) :-
    holdsFor(punctuality(Bus)=punctual, Punctual),
    holdsFor(rough(Bus)=true, Rough),
    intersect_all([Punctual, Rough], I).

holdsFor(quality(Bus)=high, I) :-
    holdsFor(punctuality(Bus)=punctual, Punctual),
    holdsFor(unsafe(Bus)=true, Unsafe),
    holdsFor(rough(Bus)=true, Rough),
    relative_complement_all(Punctual, [Unsafe, Rough], I).

% --- and what it means for those on board ------------------------------------------------

holdsFor(passenger_comfort(Bus)=reducing, I) :-
    holdsFor(unsafe(Bus)=true, Unsafe),
    holdsFor(rough(Bus)=true, Rough),
    holdsFor(density(Bus)=high, Crowded),
    holdsFor(noise(Bus)=high, Loud),
    holdsFor(temperature(Bus)=very_warm, Hot),
    holdsFor(temperature(Bus)=very_cold, Freezing),
    union_all([Unsafe, Rough, Crowded, Loud, Hot, Freezing], I).

% Standing passengers fall when a bus brakes hard.
holdsFor(passenger_safety(Bus)=reducing, I) :-
    holdsFor(unsafe(Bus)=true, Unsafe),
    holdsFor(density(Bus)=high, Crowded),
    holdsFor(abrupt_deceleration(Bus, bus)=abrupt, Brakes),
    intersect_all([Crowded, Brakes], Falls),
    union_all([Unsafe, Falls], I).

% --- level 4: a complaint is likely where a bad ride lasts --------------------------------

holdsFor(complaint(Bus)=likely, I) :-
    holdsFor(quality(Bus)=low, Low),
    holdsFor(passenger_comfort(Bus)=reducing, Uncomfortable),
    intersect_all([Low, Uncomfortable], Bad),
    intDurGreater(Bad, 2000, I).
