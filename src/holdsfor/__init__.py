"""holdsfor: rules and time-stamped events in, the intervals during which situations hold out."""

from holdsfor.diagnostics import Diagnostic, HoldsforError, ProgramError
from holdsfor.ir import Program
from holdsfor.loading import Reasoner, from_program, load, loads

__version__ = "0.1.0"

__all__ = [
    "Diagnostic",
    "HoldsforError",
    "Program",
    "ProgramError",
    "Reasoner",
    "__version__",
    "from_program",
    "load",
    "loads",
]
