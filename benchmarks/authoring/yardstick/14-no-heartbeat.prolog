initiatedAt(node(N)=alive, T) :- happensAt(beat(N), T).
fi(node(N)=alive, node(N)=silent, 10).
p(node(N)=alive).
