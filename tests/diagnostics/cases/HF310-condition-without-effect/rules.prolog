dynamicDomain(level(_)).
grounding(reading(_, N)) :- level(N), N > 5.
grounding(alarm(N)=true) :- level(N).
initiatedAt(alarm(N)=true, T) :- happensAt(reading(_, N), T).
