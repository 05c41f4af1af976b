initiatedAt(alarm(Room)=true, T) :- happensAt(smoke(Room), T), !holdsAt(kitchen(Room)=true, T).
