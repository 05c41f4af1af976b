Speed > 5 :- happensAt(velocity(V, Speed), T).
