initiatedAt(g(V)=true, T) :- happensAt(a(V), T).
initiatedAt(f(V)=true, T) :- happensAt(start(g(V)=true), T), holdsAt(g(V)=true, T).
