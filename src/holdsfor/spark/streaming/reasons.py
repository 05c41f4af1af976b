"""Why Spark could not do what it was asked to, in a line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from pyspark.errors import PySparkException

from holdsfor.diagnostics import HoldsforError


@contextmanager
def spark_errors(what: str) -> Iterator[None]:
    """Complain in a line, which begins with what was to be done, where Spark would show where in its code it was."""
    try:
        yield
    except Exception as problem:
        # Errors of Java that Spark has no class for come as they are.
        if not isinstance(problem, PySparkException) and not hasattr(problem, "java_exception"):
            raise
        raise HoldsforError(f"{what}: {reason(problem)}") from problem


def reason(problem: Exception) -> str:
    """The line of an error that says what is wrong.

    >>> reason(ValueError("[PARSE_SYNTAX_ERROR] Syntax error at 'x'. SQLSTATE: 42601\\n== SQL ==\\nx"))
    "Syntax error at 'x'."
    """
    java = getattr(problem, "java_exception", None)
    text = str(problem if java is None else java.getMessage())
    # An error of Python shows its place first and what it is last; an error of Spark the other way round.
    raised = re.findall(r"^(?!org\.|java\.)(?:[a-z_]\w*\.)*[A-Z]\w*: (.+)$", text, re.MULTILINE)
    found = raised[-1] if "Traceback (most recent call last)" in text and raised else text.strip().partition("\n")[0]
    return re.sub(r"^(\[[\w.]+\] )+|\s*SQLSTATE: \w+", "", found)
