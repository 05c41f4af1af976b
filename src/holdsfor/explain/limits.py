"""Limits on the depth and length of explanations."""

DEPTH = 12
"""The default depth of an explanation, in steps of fluents and events."""
MOST_DEPTH = 120
"""The greatest depth."""
MOST_STEPS = 400
"""The approximate number of steps in an explanation of a metric program; longer ones are less deep."""
