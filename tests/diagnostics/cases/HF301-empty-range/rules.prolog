initiatedAt(slow(V)=true, T) :- happensAt(velocity(V, S), T), S > 5, S < 3.
