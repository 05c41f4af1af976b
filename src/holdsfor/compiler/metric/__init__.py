"""What a metric program needs before it runs: checks, normal form, strata, reach, keys."""
