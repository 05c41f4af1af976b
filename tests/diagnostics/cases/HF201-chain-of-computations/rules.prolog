initiatedAt(slow(V)=true, T) :- happensAt(velocity(V), T), Kmh is Knots * 1.852, Kmh < 10.
