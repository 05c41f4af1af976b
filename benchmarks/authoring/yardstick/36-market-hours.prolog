initiatedAt(open(M)=true, T) :- happensAt(bell(M), T), \+ holdsAt(open(M)=true, T).
terminatedAt(open(M)=true, T) :- happensAt(bell(M), T), holdsAt(open(M)=true, T).
happensAt(outside(O), T) :- happensAt(place(O, M), T), \+ holdsAt(open(M)=true, T).
