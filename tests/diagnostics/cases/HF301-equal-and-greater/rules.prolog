initiatedAt(slow(V)=true, T) :- happensAt(velocity(V, S), T), S = 3, S > 5.
