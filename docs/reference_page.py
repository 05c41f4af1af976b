"""The page of the Python reference, made of signatures and docstrings."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from dataclasses import dataclass

CHOSEN: dict[str, list[str] | None] = {
    "holdsfor": [
        "load",
        "loads",
        "loads_metric",
        "from_program",
        "diff",
        "backtest",
        "tune",
        "Reasoner",
        "Result",
        "MetricReasoner",
        "Diff",
        "Backtest",
        "Tuning",
        "Program",
        "Diagnostic",
        "ProgramError",
        "HoldsforError",
    ],
    "holdsfor.session": ["Session", "Changes", "Change", "Cause"],
    "holdsfor.spark": [
        "recognise",
        "derived_events",
        "recognise_stream",
        "materialise",
        "materialise_stream",
        "explain",
    ],
    "holdsfor.testing": None,
    "holdsfor.viz.timeline": None,
    "holdsfor.viz.map": None,
}
"""Modules, and what of them is described in which order; everything if that is not said."""

_WIDTH = 88
"""Longer signatures have a line for each parameter."""


def reference() -> str:
    """The whole page."""
    return "\n\n".join(_parts()) + "\n"


def _parts() -> Iterator[str]:
    yield "# Python reference\n\nMade of the docstrings. Names that are not here may change without notice."
    for module, chosen in CHOSEN.items():
        yield f"## `{module}`"
        home = importlib.import_module(module)
        for name in chosen or home.__all__:
            if not name.startswith("__"):
                yield from _described(name, getattr(home, name))


def _described(name: str, thing: object) -> Iterator[str]:
    yield f"### `{name}`"
    is_error = inspect.isclass(thing) and issubclass(thing, Exception)
    if callable(thing) and not is_error:
        yield _code(name, thing)
    yield _docs(thing)
    if inspect.isclass(thing):
        for part, member in vars(thing).items():
            function = getattr(member, "fget", None) or getattr(member, "func", None) or member
            if not part.startswith("_") and callable(function) and inspect.getdoc(function):
                yield f"#### `{name}.{part}`"
                if inspect.isroutine(member):
                    yield _code(part, function)
                yield _docs(function)


def _code(name: str, thing: object) -> str:
    return f"```python\n{name}{_signature(thing, _WIDTH - len(name))}\n```"


def _signature(thing: object, width: int) -> str:
    """A signature, in lines if it is long; `self` is left out."""
    assert callable(thing)
    try:
        found = inspect.signature(thing)
    except ValueError:
        return "(…)"
    given = [_plain(parameter) for parameter in found.parameters.values() if parameter.name != "self"]
    result = found.empty if inspect.isclass(thing) else _Words.of(found.return_annotation)
    short = str(found.replace(parameters=given, return_annotation=result))
    if len(short) <= width:
        return short
    lines = [f"    {line}," for line in _separated(short[1 : _closing(short)])]
    return "\n".join(["(", *lines, f"){short[_closing(short) + 1 :]}"])


@dataclass(frozen=True)
class _Words:
    """An annotation that is shown as it was written, without quotes."""

    text: str

    @staticmethod
    def of(annotation: object) -> object:
        return _Words(annotation) if isinstance(annotation, str) else annotation

    def __repr__(self) -> str:
        return self.text


def _plain(parameter: inspect.Parameter) -> inspect.Parameter:
    return parameter.replace(annotation=_Words.of(parameter.annotation))


def _closing(text: str) -> int:
    """Where the first bracket is closed."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if depth == 0:
            return place
    return len(text)


def _separated(text: str) -> list[str]:
    """What stands between the commas that are in no bracket."""
    depth, parts = 0, [""]
    for letter in text:
        depth += (letter in "([{") - (letter in ")]}")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts]


def _docs(thing: object) -> str:
    text = inspect.getdoc(thing) or ""
    # Examples become blocks of code.
    return re.sub(r"(?m)(^>>> .*(?:\n(?!\n).*)*)", r"```pycon\n\1\n```", text)
