initiatedAt(state(R)=open, T) :- happensAt(request(R), T).
terminatedAt(state(R)=_, T) :- happensAt(answer(R), T).
fi(state(R)=open, state(R)=overdue, 20).
