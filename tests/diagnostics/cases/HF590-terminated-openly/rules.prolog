initiatedAt(on(X)=true, T) :- happensAt(press(X), T).
terminatedAt(on(_)=true, T) :- happensAt(reset, T).
initiatedAt(idle(X)=true, T) :- happensAt(press(X), T), terminatedAt(on(X)=true, T).
