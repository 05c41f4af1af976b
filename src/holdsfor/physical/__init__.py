"""The physical plan: what the core runs, as plain frozen data."""
