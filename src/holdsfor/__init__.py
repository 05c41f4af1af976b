"""holdsfor computes the intervals during which situations hold, from rules and time-stamped events."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from holdsfor.diagnostics import Diagnostic, HoldsforError, ProgramError
    from holdsfor.ir import Program
    from holdsfor.loading import Reasoner, from_program, load, loads
    from holdsfor.metric import MetricReasoner, loads_metric
    from holdsfor.result import Result
    from holdsfor.review.backtest import Backtest, backtest
    from holdsfor.review.diff import Diff, diff
    from holdsfor.review.tuning import Tuning, tune

__version__ = "0.1.0"

__all__ = [
    "Backtest",
    "Diagnostic",
    "Diff",
    "HoldsforError",
    "MetricReasoner",
    "Program",
    "ProgramError",
    "Reasoner",
    "Result",
    "Tuning",
    "__version__",
    "backtest",
    "diff",
    "from_program",
    "load",
    "loads",
    "loads_metric",
    "tune",
]

_HOMES = {
    "Backtest": "holdsfor.review.backtest",
    "Diagnostic": "holdsfor.diagnostics",
    "Diff": "holdsfor.review.diff",
    "HoldsforError": "holdsfor.diagnostics",
    "MetricReasoner": "holdsfor.metric",
    "Program": "holdsfor.ir",
    "ProgramError": "holdsfor.diagnostics",
    "Reasoner": "holdsfor.loading",
    "Result": "holdsfor.result",
    "Tuning": "holdsfor.review.tuning",
    "backtest": "holdsfor.review.backtest",
    "diff": "holdsfor.review.diff",
    "from_program": "holdsfor.loading",
    "load": "holdsfor.loading",
    "loads": "holdsfor.loading",
    "loads_metric": "holdsfor.metric",
    "tune": "holdsfor.review.tuning",
}


def __getattr__(name: str) -> Any:
    # The compiler, NumPy and Arrow come with these; they are imported on first use.
    if name not in _HOMES:
        raise AttributeError(f"module 'holdsfor' has no attribute {name!r}")
    found = globals()[name] = getattr(import_module(_HOMES[name]), name)
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
