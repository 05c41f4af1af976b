initiatedAt(passed1(R)=true, T) :- happensAt(passes(R, 1), T).
terminatedAt(passed1(R)=true, T) :- happensAt(passes(R, 2), T).
happensAt(wrongOrder(R), T) :- happensAt(passes(R, 2), T), \+ holdsAt(passed1(R)=true, T).
