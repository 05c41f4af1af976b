"""Files of a diff, a backtest or a tuning: the ending of a name determines the form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from holdsfor.diagnostics import HoldsforError
from holdsfor.io.outputs import created


def save_form(what: str, path: str | Path, forms: Mapping[str, Callable[[], str]]) -> Path:
    """Write one of the forms of something, by the ending of a file."""
    target = Path(path)
    if target.suffix not in forms:
        raise HoldsforError(f"a {what} is saved as {', '.join(forms)}, not as {target.name!r}")
    with created(target) as file:
        file.write(forms[target.suffix]().encode())
    return target
