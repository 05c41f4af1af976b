initiatedAt(moored(V)=true, T).
