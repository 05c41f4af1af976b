initiatedAt(paid(C)=true, T) :- happensAt(buy(C), T).
holdsFor(parked(C)=true, I) :- holdsFor(paid(C)=true, I), seen(C).
seen(C) :- happensAt(enter(C), _T).
