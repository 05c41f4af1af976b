holdsFor(locked(U)=true, I) :- holdsFor(active(U)=true, I), count_within(failed(U), 10, T) >= 3.
