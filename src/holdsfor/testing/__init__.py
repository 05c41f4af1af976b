"""Tests of rules: Markdown files with expected intervals, assertions, and random streams.

`holdsfor.testing.strategies` needs hypothesis and is imported by itself.
"""

from holdsfor.engine_names import Engine
from holdsfor.testing.assertions import assert_engines_agree, assert_intervals, assert_markdown
from holdsfor.testing.checking import Difference, Outcome, run_checks
from holdsfor.testing.notation import events

__all__ = [
    "Difference",
    "Engine",
    "Outcome",
    "assert_engines_agree",
    "assert_intervals",
    "assert_markdown",
    "events",
    "run_checks",
]
