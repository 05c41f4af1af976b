initially(open(Door)=true).
