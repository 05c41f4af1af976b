"""Generates AIS data of an invented coast, with the ground truth of its situations."""

from holdsfor_maritime.generator.write import generate

__all__ = ["generate"]
