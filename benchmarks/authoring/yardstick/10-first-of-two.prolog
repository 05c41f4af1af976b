initiatedAt(hot(S)=true, T) :- happensAt(heat(S), T).
terminatedAt(hot(S)=true, T) :- happensAt(cool(S), T).
happensAt(alarm(S), T) :- happensAt(smoke(S), T), holdsAt(hot(S)=true, T).
