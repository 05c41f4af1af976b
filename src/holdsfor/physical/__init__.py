"""The physical plan, which the core runs, as plain frozen data."""
