initiatedAt(alarm(Room)=true, T) if happensAt(smoke(Room), T) and happensAt(heat(Room), T).
