initiatedAt(fire(B)=true, T) :- happensAt(fireOn(B), T).
terminatedAt(fire(B)=true, T) :- happensAt(fireOff(B), T).
initiatedAt(burglar(B)=true, T) :- happensAt(burglarOn(B), T).
terminatedAt(burglar(B)=true, T) :- happensAt(burglarOff(B), T).
holdsFor(alarm(B)=true, I) :- holdsFor(fire(B)=true, I1), holdsFor(burglar(B)=true, I2), union_all([I1, I2], I).
