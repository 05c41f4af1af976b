initially(open(_)=true).
