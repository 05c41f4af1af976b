initiatedAt(calm(U)=true, T) :- happensAt(login(U), T), Later is T + 60, count_within(failed(U), 60, Later) =:= 0.
