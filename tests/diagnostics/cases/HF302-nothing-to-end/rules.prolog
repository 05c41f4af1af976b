initiatedAt(engine(V)=on, T) :- happensAt(start_engine(V), T).
terminatedAt(engine(V)=true, T) :- happensAt(stop_engine(V), T).
