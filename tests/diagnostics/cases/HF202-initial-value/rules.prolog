initiatedAt(light=off, -1).
initiatedAt(light=on, T) :- happensAt(switch, T).
