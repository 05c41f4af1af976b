"""Extracts the cause of a failure of Spark as one sentence."""

from __future__ import annotations

import builtins
import re
from collections.abc import Iterator
from contextlib import contextmanager

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from holdsfor.diagnostics import HoldsforError

NO_JAVA = (
    "Spark's Java process has ended: it was killed, perhaps because memory ran out; start again with the same checkpoint, "
    "it goes on after the last batch that was committed"
)
_KNOWN = (
    (
        "Python worker exited unexpectedly",
        "a Python worker died in the middle of its work: it was killed, perhaps because memory ran out",
    ),
    ("ExecutorLostFailure", "an executor was lost in the middle of its work: it was killed, or its machine is gone"),
    ("OutOfMemoryError", "Spark's Java process ran out of memory: give it more (spark.driver.memory)"),
)
"""Failures with long messages and little explanation."""
_PYTHON = re.compile(r"^(?P<name>(?:[A-Za-z_]\w*\.)*[A-Z]\w*)(?:: (?P<text>.+))?$", re.MULTILINE)
_JAVA = re.compile(r"^(?:: |Caused by: )?(?:[a-z]\w*\.)+(?P<name>[A-Z][\w$]*)(?:: (?P<text>.+))?$", re.MULTILINE)
_TASK = re.compile(r"Job aborted due to stage failure:.*?\): ")
_WAITED = "Exception thrown in awaitResult"
_CLASS = re.compile(r"^(?:[a-z]\w*\.)+[A-Z][\w$]*: ")


@contextmanager
def spark_errors(what: str) -> Iterator[None]:
    """Converts errors of Spark to one line, which begins with the failed action, instead of a stack trace."""
    try:
        yield
    except Exception as problem:
        if is_lost_java(problem):
            raise HoldsforError(NO_JAVA) from problem
        # Java errors without a class in PySpark are raised unchanged.
        if not isinstance(problem, PySparkException) and not hasattr(problem, "java_exception"):
            raise
        raise HoldsforError(f"{what}: {reason(problem)}") from problem


def is_lost_java(problem: BaseException) -> bool:
    """Whether the Java process is gone."""
    if isinstance(problem, PySparkException) or hasattr(problem, "java_exception"):
        return False
    return isinstance(problem, Py4JError | ConnectionError | EOFError)


def reason(problem: Exception) -> str:
    """The cause within an error message.

    >>> reason(ValueError("[PARSE_SYNTAX_ERROR] Syntax error at 'x'. SQLSTATE: 42601\\n== SQL ==\\nx"))
    "Syntax error at 'x'."
    >>> reason(ValueError("Traceback (most recent call last):\\n  File …\\nConnectionError: the table is locked"))
    'ConnectionError: the table is locked'
    """
    java = getattr(problem, "java_exception", None)
    text = str(problem if java is None else java.getMessage())
    # The progress and the plan of the query follow.
    text = text.partition("\n=== Streaming Query ===")[0]
    for sign, said in _KNOWN:
        if sign in text:
            return said
    return _python_reason(text) or _java_reason(text)


def _python_reason(text: str) -> str | None:
    """The last Python error, which is the original one; empty if it only passes on a Java error."""
    if "Traceback (most recent call last)" not in text:
        return None
    ours = [found for found in _PYTHON.finditer(text) if _is_python(found["name"])]
    if not ours:
        return None
    name, said = ours[-1]["name"], ours[-1]["text"]
    if name.startswith("py4j."):
        return _java_reason(text[ours[-1].end() :])
    if name.startswith(("holdsfor.", "pyspark.errors.")):
        return _plain(said or name)
    return _plain(f"{name.rpartition('.')[2]}: {said}") if said else name.rpartition(".")[2]


def _is_python(name: str) -> bool:
    """Whether a name is that of a Python error: with its module, or built in."""
    if "." in name:
        return not name.startswith(("org.", "java.", "scala."))
    return isinstance(getattr(builtins, name, None), type) or name.endswith(("Error", "Exception"))


def _java_reason(text: str) -> str:
    """The first line of a Java error, and its root cause if that is more specific."""
    lines = [line for line in text.strip().splitlines() if line.strip()]
    if not lines:
        return "Spark does not say why"
    causes = [found["text"] for found in _JAVA.finditer(text) if found.group().startswith("Caused by: ")]
    said = [_plain(line) for line in (lines[0].removeprefix(": "), *causes) if line]
    # A thread that waits for another one has no message of its own.
    first, *rest = [line for line in said if not line.startswith(_WAITED)] or said
    return f"{first.rstrip('.')}: {rest[-1]}" if rest and rest[-1] not in first else first


def _plain(line: str) -> str:
    """A line without internals of Spark."""
    line = _TASK.sub("", line)
    line = re.sub(r"^\[STREAM_FAILED\] Query \[.*?\] terminated with exception: ", "", line)
    while (found := _CLASS.sub("", line)) != line:
        line = found
    line = re.sub(r"\s*SQLSTATE: \w+", "", line)
    return re.sub(r"^(\[[\w.]+\] )+", "", line).strip()
