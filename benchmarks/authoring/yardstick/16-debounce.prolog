initiatedAt(down(B)=true, T) :- happensAt(press(B), T).
terminatedAt(down(B)=_, T) :- happensAt(release(B), T).
fi(down(B)=true, down(B)=long, 3).
initiatedAt(held(B)=true, T) :- happensAt(start(down(B)=long), T).
terminatedAt(held(B)=true, T) :- happensAt(release(B), T).
