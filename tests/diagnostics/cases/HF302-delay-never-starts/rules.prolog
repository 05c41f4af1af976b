initiatedAt(quote(M)=true, T) :- happensAt(offer(M), T).
fi(quote(M)=open, quote(M)=false, 10).
