"""The small slow evaluator of metric programs that everything else is measured against."""

from holdsfor.reference.metric.evaluator import Endless, Materialisation, evaluate
from holdsfor.reference.metric.needs import NotStratified

__all__ = ["Endless", "Materialisation", "NotStratified", "evaluate"]
