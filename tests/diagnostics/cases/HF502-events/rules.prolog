happensAt(left(V), T) :- happensAt(turn(V), T), \+ happensAt(right(V), T).
happensAt(right(V), T) :- happensAt(turn(V), T), \+ happensAt(left(V), T).
