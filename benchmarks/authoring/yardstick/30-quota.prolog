initiatedAt(used(U)=1, T) :- happensAt(upload(U), T), \+ holdsAt(used(U)=1, T), \+ holdsAt(used(U)=2, T), \+ holdsAt(used(U)=3, T).
initiatedAt(used(U)=2, T) :- happensAt(upload(U), T), holdsAt(used(U)=1, T).
initiatedAt(used(U)=3, T) :- happensAt(upload(U), T), holdsAt(used(U)=2, T).
terminatedAt(used(U)=_, T) :- happensAt(reset(U), T).
holdsFor(blocked(U)=true, I) :- holdsFor(used(U)=3, I).
