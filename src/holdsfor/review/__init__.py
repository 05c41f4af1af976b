"""Reviews of rules: the effect of an edit, the agreement with labels, and the constants that agree best."""
