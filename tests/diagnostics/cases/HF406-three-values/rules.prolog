initiatedAt(tide=low, T) :- happensAt(begin, T).
initiatedAt(tide=high, T) :- happensAt(surge, T).
fi(tide=low, tide=rising, 6).
fi(tide=rising, tide=high, 6).
fi(tide=high, tide=low, 12).
