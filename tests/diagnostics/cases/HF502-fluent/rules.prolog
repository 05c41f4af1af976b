initiatedAt(light(R)=true, T) :- happensAt(switch(R), T), \+ initiatedAt(light(R)=true, T).
