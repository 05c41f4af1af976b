"""Three activities of one id, one right after the other."""
