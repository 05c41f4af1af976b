initiatedAt(fast(V)=true, T) :- happensAt(speed(V, S), T), S > 20.
terminatedAt(fast(V)=true, T) :- happensAt(speed(V, S), T), S =< 20.
