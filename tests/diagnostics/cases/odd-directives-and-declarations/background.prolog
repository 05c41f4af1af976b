% Nothing but a comment: the file is there.
