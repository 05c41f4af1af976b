initiatedAt(gap(V)=nearPorts, T) :- happensAt(gap_start(V), T).
initiatedAt(suspicious(V)=true, T) :- happensAt(turn(V), T), holdsAt(gap(V)=nearPort, T).
