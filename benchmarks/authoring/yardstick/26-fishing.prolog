kind(north, fishing).
kind(south, shipping).
initiatedAt(inFishingArea(V)=true, T) :- happensAt(enter(V, A), T), kind(A, fishing).
terminatedAt(inFishingArea(V)=true, T) :- happensAt(leave(V, A), T), kind(A, fishing).
initiatedAt(trawlSpeed(V)=true, T) :- happensAt(speed(V, S), T), S >= 2, S =< 8.
terminatedAt(trawlSpeed(V)=true, T) :- happensAt(speed(V, S), T), S < 2.
terminatedAt(trawlSpeed(V)=true, T) :- happensAt(speed(V, S), T), S > 8.
holdsFor(fishing(V)=true, I) :- holdsFor(inFishingArea(V)=true, I1), holdsFor(trawlSpeed(V)=true, I2), intersect_all([I1, I2], I).
