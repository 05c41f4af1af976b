"""A local page on which rules are written, tried out on a sample, and asked why."""
