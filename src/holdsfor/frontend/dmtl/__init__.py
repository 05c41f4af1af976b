"""The DatalogMTL front end translates metric rules and facts to the metric IR and back."""

from holdsfor.frontend.dmtl.formatter import format_metric
from holdsfor.frontend.dmtl.reader import parse_metric
from holdsfor.frontend.dmtl.unparse import metric_text

__all__ = ["format_metric", "metric_text", "parse_metric"]
