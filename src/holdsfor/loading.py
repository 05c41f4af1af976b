"""Loading rule files into a checked, planned program."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from holdsfor.compiler.analyse import Analysis
from holdsfor.compiler.compile import check
from holdsfor.compiler.plan import Plan, make_plan
from holdsfor.diagnostics import Diagnostic, HoldsforError, ProgramError, Source, errors_of
from holdsfor.frontend.rtec import parse_program
from holdsfor.ir import Program


@dataclass(frozen=True)
class Reasoner:
    """A program that has been read and checked. `diagnostics` has everything that was found."""

    analysis: Analysis
    diagnostics: tuple[Diagnostic, ...]

    @property
    def program(self) -> Program:
        """The rules."""
        return self.analysis.program

    @cached_property
    def plan(self) -> Plan:
        """How the program is evaluated; raises ProgramError if it cannot be."""
        self.require_no_errors()
        with _no_garbage_collection():
            return make_plan(self.analysis)

    def require_no_errors(self) -> None:
        """Raise ProgramError if anything found stops the program from running."""
        errors = errors_of(self.diagnostics)
        if errors:
            raise ProgramError(errors)


def read_source(path: str | Path) -> Source:
    """A rule file as a source; a file that cannot be read is a HoldsforError that says why."""
    try:
        return Source(str(path), Path(path).read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as problem:
        raise HoldsforError(f"{path} is not a UTF-8 text file (byte {problem.start})") from problem
    except OSError as problem:
        raise HoldsforError(f"cannot read {path}: {problem.strerror or problem}") from problem


def from_program(program: Program) -> Reasoner:
    """Check a program that was built in Python."""
    analysis, found = check(program)
    return Reasoner(analysis, tuple(found))


def from_sources(sources: Iterable[Source]) -> Reasoner:
    """Check rule texts as one program, without raising for what is wrong with them."""
    with _no_garbage_collection():
        return from_program(parse_program(sources))


@contextmanager
def _no_garbage_collection() -> Iterator[None]:
    """Compiling makes many small objects that all live on; looking for garbage among them doubles its time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def loads(text: str, name: str = "<rules>") -> Reasoner:
    """Load rules from a string.

    >>> loads("initiatedAt(on=true, T) :- happensAt(press, T).").plan.outputs[0].name
    'on'
    """
    reasoner = from_sources([Source(name, text)])
    reasoner.require_no_errors()
    return reasoner


def load(*paths: str | Path) -> Reasoner:
    """Load rule and background files as one program; raises ProgramError with all diagnostics."""
    reasoner = from_sources(read_source(path) for path in paths)
    reasoner.require_no_errors()
    return reasoner
