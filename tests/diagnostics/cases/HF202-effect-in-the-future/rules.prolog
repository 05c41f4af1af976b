initiatedAt(late(V)=true, T) :- happensAt(departs(V), T0), T is T0 + 60.
