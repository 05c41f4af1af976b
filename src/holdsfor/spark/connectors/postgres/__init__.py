"""PostgreSQL: reads events from a table or query, and writes intervals to a table that is kept up to date."""
