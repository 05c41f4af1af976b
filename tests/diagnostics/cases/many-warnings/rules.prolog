initiatedAt(gap(V)=near, T) :- happensAt(gap_start(V, _Port), T).
initiatedAt(gap(V)=near, T) :- happensAt(gap_start(V, Port), T), port(Port).
initiatedAt(suspicious(V)=true, T) :- happensAt(turn(V), T), holdsAt(gap(V)=far, T).
initiatedAt(returns(V)=true, T) :- happensAt(enters(V), T), happensAt(leaves(V), T0), T0 < T.
initiatedAt(stopped(V)=true, T) :- happensAt(velocity(V, S), T), S < 1, S > 2.
initiatedAt(moored(V)=true, T) :- happensAt(stopped(V), T).
p(gap(V)=near).
port(p1).
