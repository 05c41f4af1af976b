"""Sessions of programs with metric rules, by panes; the core has no such rules."""
