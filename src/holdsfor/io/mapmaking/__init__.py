"""A first mapping for a file: guesses at its time, its kinds of events and their arguments, written down to be edited."""

from holdsfor.io.mapmaking.made import Made, made_mapping
from holdsfor.io.mapmaking.wanted import Wanted, metric_inputs, wanted_inputs

__all__ = ["Made", "Wanted", "made_mapping", "metric_inputs", "wanted_inputs"]
