initiatedAt(engine(V)=on, T) :- happensAt(start_engine(V), T).
initiatedAt(engine(V)=off, T) :- happensAt(stop_engine(V), T).
initiatedAt(f(V)=true, T) :- happensAt(e(V), T), holdsAt(engine(V)=on, T), holdsAt(engine(V)=off, T).
