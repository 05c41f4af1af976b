initiatedAt(gapStarted(V)=true, T) :- happensAt(gap_start(V), T).
initiatedAt(suspicious(V)=true, T) :- happensAt(turn(V), T), holdsAt(gapstarted(V)=true, T).
