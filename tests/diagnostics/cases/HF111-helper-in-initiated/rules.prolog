initiatedAt(paid(C)=true, T) :- happensAt(buy(C), T), moving(C).
moving(C) :- holdsFor(driving(C)=true, _I).
