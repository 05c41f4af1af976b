initiatedAt(f(V)=true, T) :- happensAt(e(V, S), T), (S > 5, S < 3 ; S > 9, S < 7).
