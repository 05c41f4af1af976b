initiatedAt(slow(Vessel)=true, T) :-
    happensAt(velocity(Vessel, Speed), T),
    Speed <= 5.
