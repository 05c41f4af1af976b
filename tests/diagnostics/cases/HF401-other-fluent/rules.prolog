initiatedAt(quote(M)=true, T) :- happensAt(offer(M), T).
fi(quote(M)=true, expired(M)=true, 10).
