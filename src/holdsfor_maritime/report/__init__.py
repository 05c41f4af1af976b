"""Stage 3: situations as files, a table, a page and words."""
