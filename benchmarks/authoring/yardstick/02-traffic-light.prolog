initiatedAt(shows(L)=C, T) :- happensAt(switch(L, C), T).
terminatedAt(shows(L)=_, T) :- happensAt(failure(L), T).
