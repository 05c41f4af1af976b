initiatedAt(f(V)=true, T) :- happensAt(e(V), T), holdsAt(g(V)=true, T), \+ holdsAt(g(V)=true, T).
