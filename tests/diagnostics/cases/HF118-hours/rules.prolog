:- time_unit(s).
initiatedAt(open(Shop)=true, T) :-
    happensAt(unlock(Shop), T),
    business_hours(T, 8, 18).
terminatedAt(open(Shop)=true, T) :-
    happensAt(lock(Shop), T),
    business_hours(T, 18 h, 8 h).
