% Nothing here yet.
/* Not here
   either. */
