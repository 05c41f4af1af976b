"""The reference evaluator of metric programs: small, slow, and the definition of what is right."""

from holdsfor.reference.metric.evaluator import Endless, Materialisation, evaluate
from holdsfor.reference.metric.needs import NotStratified

__all__ = ["Endless", "Materialisation", "NotStratified", "evaluate"]
