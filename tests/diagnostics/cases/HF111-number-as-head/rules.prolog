42 :- tug(v1).
