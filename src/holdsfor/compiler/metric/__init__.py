"""The compiler of metric programs: checks, normal form, strata, reach, keys."""
