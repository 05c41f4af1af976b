initiatedAt(on(X)=true, T) :- happensAt(press(X), T), findall(Y, holdsAt(on(Y)=true, T), L), length(L, N), N < 3.
terminatedAt(on(X)=true, T) :- happensAt(release(X), T).
