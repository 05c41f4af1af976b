initiatedAt(moored(V)=true, T) :- hapensAt(stop_start(V), T).
initiatedAt(slow(V)=true, T) :- happensAt(velocity(V, S), T), Spd < 5, S > 0.
initiatedAt(late(V)=true, T) :- happensAt(arrives(V), T1).
initiatedAt(inPort(V), T) :- happensAt(enters(V), T).
initiatedAt(fast(V)=true, T) :- happensAt(velocity(V, S), T), S > high.
holdsFor(busy(V)=true, I) :- holdsFor(fishing(V)=true, I1), union_all(I1, I).
terminatedAt(resting(V)=true, T) :- happensAt(wakes(V), T).
fi(quote(M)=open, quote(M)=closed, 0).
initiatedAt(quote(M)=open, T) :- happensAt(offer(M), T).
vessel(v1).
vessel(v1).
