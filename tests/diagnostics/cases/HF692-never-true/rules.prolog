initiatedAt(colour(X)=red, T) :- happensAt(paint(X), T).
initiatedAt(colour(X)=none, T) :- happensAt(bleach(X), T).
