"""One situation that lasts, "faster than 8 while inside an area", by hand-written queries and by two rules and a half."""
