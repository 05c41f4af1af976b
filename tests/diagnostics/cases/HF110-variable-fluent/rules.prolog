initiatedAt(F=true, T) :- happensAt(switch_on(F), T).
