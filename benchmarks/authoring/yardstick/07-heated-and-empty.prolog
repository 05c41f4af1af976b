initiatedAt(in(P, R)=true, T) :- happensAt(comes(P, R), T).
terminatedAt(in(P, R)=true, T) :- happensAt(goes(P, R), T).
initiatedAt(occupied(R)=true, T) :- happensAt(comes(_, R), T).
terminatedAt(occupied(R)=true, T) :- happensAt(goes(P, R), T), \+ (holdsAt(in(Q, R)=true, T), Q \= P).
initiatedAt(heated(R)=true, T) :- happensAt(heatingOn(R), T).
terminatedAt(heated(R)=true, T) :- happensAt(heatingOff(R), T).
holdsFor(wasted(R)=true, I) :-
    holdsFor(heated(R)=true, I1), holdsFor(occupied(R)=true, I2), relative_complement_all(I1, [I2], I).
