"""Imports the compiled module, or raises an error that says how to build it."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

from holdsfor.diagnostics import HoldsforError


@cache
def compiled_core() -> Any:
    """The module `_core`."""
    try:
        return import_module("holdsfor.core._core")
    except ImportError as problem:
        raise HoldsforError(
            "the compiled core of holdsfor is missing; install a wheel (pip install holdsfor), or in a checkout a C++20 "
            "compiler (g++ or clang), and run ./dev run --version, which builds it"
        ) from problem
