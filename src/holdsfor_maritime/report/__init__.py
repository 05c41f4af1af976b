"""Stage 3: situations as files, a table and a report."""
