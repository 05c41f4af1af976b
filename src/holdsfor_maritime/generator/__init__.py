"""Generated AIS data: an invented coast, vessels with something to do, and what there is to be found."""

from holdsfor_maritime.generator.write import generate

__all__ = ["generate"]
