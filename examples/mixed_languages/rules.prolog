% Refrigerated trucks. Events say how warm it is inside, and what the crew does.
% What goes on is said here; how long and how recently, in rules.dmtl.

initiatedAt(warm(Truck)=true, T) :-
    happensAt(temperature(Truck,Degrees), T),
    Degrees > 8.
terminatedAt(warm(Truck)=true, T) :-
    happensAt(temperature(Truck,Degrees), T),
    Degrees =< 8.

initiatedAt(loaded(Truck)=true, T) :-
    happensAt(load(Truck), T).
terminatedAt(loaded(Truck)=true, T) :-
    happensAt(unload(Truck), T).

% Goods are spoilt when it has been warm for too long, and until they are unloaded.
% 'TooLong' is a metric predicate; names with a capital letter stand in quotes here.
initiatedAt(spoilt(Truck)=true, T) :-
    happensAt(start('TooLong'(Truck)=true), T),
    holdsAt(loaded(Truck)=true, T).
terminatedAt(spoilt(Truck)=true, T) :-
    happensAt(unload(Truck), T).

% Whoever is warned and does nothing is to blame while the goods are spoilt.
holdsFor(blame(Truck)=true, I) :-
    holdsFor(spoilt(Truck)=true, I1),
    holdsFor('Ignored'(Truck)=true, I2),
    intersect_all([I1,I2], I).
