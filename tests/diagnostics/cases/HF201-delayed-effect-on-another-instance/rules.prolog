initiatedAt(quote(M)=true, T) :- happensAt(offer(M), T).
fi(quote(M)=true, quote(C)=false, 10).
