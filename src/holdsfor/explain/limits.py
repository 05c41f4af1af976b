"""How deep explanations go, and how long they are."""

DEPTH = 12
"""How many steps of fluents and events an explanation goes down, unless something else is asked for."""
MOST_DEPTH = 120
"""How many it goes down at most."""
MOST_STEPS = 400
"""How many steps an explanation of a metric program has, about: what needs more is not gone into as deeply."""
