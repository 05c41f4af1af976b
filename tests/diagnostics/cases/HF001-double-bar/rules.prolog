initiatedAt(alarm(Room)=true, T) :- happensAt(smoke(Room), T) || happensAt(heat(Room), T).
