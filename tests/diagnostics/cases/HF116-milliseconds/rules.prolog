initiatedAt(fast(P)=true, T) :-
    happensAt(pulse(P), T),
    happensAt(pulse(P), T0),
    T0 < T,
    T - T0 < 1.5 ms.
