initially(locked(U)=true) :- user(U), count_within(failed(U), 10, 0) >= 3.
user(ann).
