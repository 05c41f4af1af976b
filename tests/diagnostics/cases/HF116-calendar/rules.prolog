% Opening hours.
initiatedAt(open(Shop)=true, T) :-
    happensAt(unlock(Shop), T),
    business_hours(T).
