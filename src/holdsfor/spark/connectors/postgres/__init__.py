"""PostgreSQL: events from a table or query, intervals into a table that stays right."""
