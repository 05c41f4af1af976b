initiatedAt(alarm(Room)=true, T) :- happensAt(smoke(Room), T) and happensAt(heat(Room), T).
