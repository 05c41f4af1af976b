initiatedAt(lit(R)=true, T) :- happensAt(motion(R), T).
fi(lit(R)=true, lit(R)=false, 10).
p(lit(R)=true).
