initiatedAt(moored(V)=true, T) :- happensAt(start(stopped(V)=true, T)).
