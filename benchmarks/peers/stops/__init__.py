"""Short stops of vehicles, a metric program."""
