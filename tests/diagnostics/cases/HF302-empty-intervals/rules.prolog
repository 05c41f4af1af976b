initiatedAt(engine(V)=on, T) :- happensAt(start_engine(V), T).
holdsFor(idle(V)=true, I) :- holdsFor(engine(V)=idle, I1), holdsFor(engine(V)=on, I2), union_all([I1, I2], I).
