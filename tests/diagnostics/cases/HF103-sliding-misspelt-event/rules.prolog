happensAt(refused(U), T) :- happensAt(login(U, Code), T), Code > 400.
initiatedAt(locked(U)=true, T) :- happensAt(refused(U), T), count_within(refusd(U), 10, T) >= 3.
