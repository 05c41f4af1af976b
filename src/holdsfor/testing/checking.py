"""Runs checks and reports the differences."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from holdsfor.diagnostics import HoldsforError, ProgramError
from holdsfor.engine_names import Engine
from holdsfor.testing.engines import found_by, time_scale_of
from holdsfor.testing.markdown import Check, read_checks
from holdsfor.testing.metric import found_by_metric, wanted_facts
from holdsfor.testing.notation import Expectation, Found, expectations_of_lines, lines_of, name_of


@dataclass(frozen=True)
class Difference:
    """Something that holds or happens at other times than expected."""

    what: str
    place: str
    wanted: tuple[str, ...]
    found: tuple[str, ...]

    def render(self) -> str:
        """For a terminal."""
        return f"{self.place}: {self.what}\n    expected  {_shown(self.wanted)}\n    found     {_shown(self.found)}"


@dataclass(frozen=True)
class Outcome:
    """The outcome of a check on one engine. `problem` is the reason if it could not be run."""

    check: Check
    engine: Engine
    differences: tuple[Difference, ...] = ()
    problem: str | None = None

    @property
    def passed(self) -> bool:
        """Whether all is as expected."""
        return not self.differences and self.problem is None

    def render(self) -> str:
        """The differences, for a terminal."""
        head = f"{self.check.title} ({self.engine})"
        return "\n".join([head, *([self.problem] if self.problem else []), *(one.render() for one in self.differences)])


def run_checks(
    path: str | Path,
    engines: Iterable[Engine] = (Engine.LOCAL, Engine.REFERENCE),
    spark: Any = None,
    *,
    rules: Iterable[str | Path] = (),
    background: Iterable[str | Path] = (),
) -> list[Outcome]:
    """Runs the checks of a Markdown file; `rules` and `background` replace the files in its head."""
    checks = read_checks(path, rules, background)
    if not checks:
        raise HoldsforError(f"{path} has no block marked `expected`")
    return [run_check(check, engine, spark) for engine in engines for check in checks]


def run_check(check: Check, engine: Engine, spark: Any = None) -> Outcome:
    """Run one check on one engine."""
    try:
        found = findings(check, engine, spark)
        return Outcome(check, engine, tuple(differences(wanted_of(check), found, check.place)))
    except ProgramError as problem:
        return Outcome(check, engine, problem="\n".join(one.render() for one in problem.diagnostics))
    except HoldsforError as problem:
        return Outcome(check, engine, problem=str(problem))


def findings(check: Check, engine: Engine, spark: Any = None) -> Found:
    """The results of an engine for a check."""
    return (found_by_metric if check.is_metric else found_by)(engine, check, spark)


def wanted_of(check: Check) -> list[Expectation]:
    """The expectations of a check."""
    lines = lines_of(check.wanted.text, str(check.path), check.wanted.line)
    return list((wanted_facts if check.is_metric else expectations_of_lines)(lines, time_scale_of(check)))


def differences(wanted: Sequence[Expectation], found: Found, place: str) -> list[Difference]:
    """The differences from the expectations. A mentioned fluent, event or predicate may have no other results; if nothing
    is mentioned, there may be no results at all.
    """
    mentioned = {one.name for one in wanted}
    listed = {one.what for one in wanted}
    wrong = [
        Difference(one.what, one.place, one.times, tuple(found.get(one.what, ())))
        for one in wanted
        if list(one.times) != found.get(one.what, [])
    ]
    unexpected = [what for what in sorted(found) if what not in listed and (name_of(what) in mentioned or not wanted)]
    return wrong + [Difference(what, place, (), tuple(found[what])) for what in unexpected]


def _shown(times: Sequence[str]) -> str:
    return " ".join(times) or "never"
