"""Drafts a mapping for a file, with guesses for time, kinds of events and arguments, as text to be edited."""

from holdsfor.io.mapmaking.made import Made, made_mapping
from holdsfor.io.mapmaking.wanted import RequiredInput, metric_inputs, wanted_inputs

__all__ = ["Made", "RequiredInput", "made_mapping", "metric_inputs", "wanted_inputs"]
