initiatedAt(engine(V)=on, T) :- happensAt(start_engine(V), T).
initiatedAt(engine(V)=idle, T) :- happensAt(idle(V), T).
initiatedAt(engine(V)=off, T) :- happensAt(stop_engine(V), T).
initiatedAt(driving(V)=true, T) :- happensAt(moves(V), T), holdsAt(engine(V)=on, T).
terminatedAt(driving(V)=true, T) :- happensAt(start(engine(V)=off), T).
