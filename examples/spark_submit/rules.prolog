% A vessel is stopped from `stop_start` to `stop_end`, and idle while it is stopped with its signal on.
initiatedAt(stopped(Vessel)=true, T) :- happensAt(stop_start(Vessel), T).
terminatedAt(stopped(Vessel)=true, T) :- happensAt(stop_end(Vessel), T).

initiatedAt(gap(Vessel)=true, T) :- happensAt(gap_start(Vessel), T).
terminatedAt(gap(Vessel)=true, T) :- happensAt(gap_end(Vessel), T).

holdsFor(idle(Vessel)=true, I) :-
    holdsFor(stopped(Vessel)=true, I1),
    holdsFor(gap(Vessel)=true, I2),
    relative_complement_all(I1, [I2], I).

% Two vessels wait together while they are near each other and both idle.
initiatedAt(near(One, Other)=true, T) :- happensAt(proximity_start(One, Other), T).
terminatedAt(near(One, Other)=true, T) :- happensAt(proximity_end(One, Other), T).

holdsFor(waiting(One, Other)=true, I) :-
    holdsFor(near(One, Other)=true, I1),
    holdsFor(idle(One)=true, I2),
    holdsFor(idle(Other)=true, I3),
    intersect_all([I1, I2, I3], I).
