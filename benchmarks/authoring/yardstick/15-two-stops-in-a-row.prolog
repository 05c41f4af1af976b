initiatedAt(justStarted(V)=true, T) :- happensAt(start_up(V), T).
fi(justStarted(V)=true, justStarted(V)=false, 5).
p(justStarted(V)=true).
happensAt(falseStart(V), T) :- happensAt(stop(V), T), holdsAt(justStarted(V)=true, T).
