"""holdsfor: rules and time-stamped events in, the intervals during which situations hold out."""

from typing import TYPE_CHECKING, Any

from holdsfor.diagnostics import Diagnostic, HoldsforError, ProgramError
from holdsfor.ir import Program
from holdsfor.loading import Reasoner, from_program, load, loads
from holdsfor.metric import MetricReasoner, loads_metric

if TYPE_CHECKING:
    from holdsfor.result import Result

__version__ = "0.1.0"

__all__ = [
    "Diagnostic",
    "HoldsforError",
    "MetricReasoner",
    "Program",
    "ProgramError",
    "Reasoner",
    "Result",
    "__version__",
    "from_program",
    "load",
    "loads",
    "loads_metric",
]


def __getattr__(name: str) -> Any:
    # NumPy and Arrow come with it, so it is imported when somebody asks.
    if name == "Result":
        from holdsfor.result import Result

        return Result
    raise AttributeError(f"module 'holdsfor' has no attribute {name!r}")
