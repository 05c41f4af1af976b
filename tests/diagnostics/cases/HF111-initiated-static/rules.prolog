initiatedAt(washing(C)=true, T) :- happensAt(wash(C), T).
terminatedAt(washing(C)=true, T) :- happensAt(leave(C), T).
initiatedAt(drying(C)=true, T) :- happensAt(dry(C), T).
terminatedAt(drying(C)=true, T) :- happensAt(leave(C), T).
holdsFor(inside(C)=true, I) :- holdsFor(washing(C)=true, A), holdsFor(drying(C)=true, B), union_all([A, B], I).
happensAt(arrival(C), T) :- initiatedAt(inside(C)=true, T).
