initiatedAt(at(V)=pos(X,Y),T) :- happensAt(move(V,X,Y),T).
initiatedAt(at(V)=home,T) :- happensAt(rest(V),T).
initiatedAt(at(V)=lost,T) :- happensAt(lose(V),T).
initiatedAt(seen(V)=true,T) :- happensAt(look,T), holdsAt(at(V)=pso(_,_),T).
initiatedAt(seen2(V)=true,T) :- happensAt(look,T), holdsAt(at(V)=pos(_,_),T).
