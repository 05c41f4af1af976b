"""How deep explanations go."""

DEPTH = 12
"""How many steps of fluents and events an explanation goes down, unless something else is asked for."""
MOST_DEPTH = 120
"""How many it goes down at most."""
