initiatedAt(raining(P)=true, T) :- happensAt(rain(P), T).
terminatedAt(raining(P)=true, T) :- happensAt(dry(P), T).
initiatedAt(sunSeen(P)=true, T) :- happensAt(sun(P), T), holdsAt(raining(P)=true, T).
terminatedAt(sunSeen(P)=true, T) :- happensAt(dry(P), T).
happensAt(opens(P), T) :- happensAt(dry(P), T), holdsAt(sunSeen(P)=true, T).
