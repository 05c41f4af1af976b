initiatedAt(moored(V)=true, T) :- holdsAt(stopped(V)=true, T), holdsAt(inPort(V)=true, T).
