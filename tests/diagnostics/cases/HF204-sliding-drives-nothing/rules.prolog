initiatedAt(locked(ann)=true, T) :- count_within(failed(ann), 10, T) >= 3.
