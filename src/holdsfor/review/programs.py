"""The programs that are compared: files, folders, or what git has at a revision."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from holdsfor.diagnostics import HoldsforError, Source
from holdsfor.loading import (
    METRIC_FILES,
    Background,
    Reasoner,
    background_program,
    from_program,
    parse_sources,
    read_source,
)
from holdsfor.metric import MetricReasoner, from_metric_sources
from holdsfor.review.git import RULE_FILES, sources_at

AnyReasoner: TypeAlias = Reasoner | MetricReasoner
RulesInput: TypeAlias = AnyReasoner | str | Path | Sequence[str | Path]
"""A program that is loaded; a file, a folder of rule files, `REVISION:PATH`; or several of them."""


def opened(rules: RulesInput, background: Background | None = None) -> AnyReasoner:
    """A program; raises ProgramError if it cannot be run."""
    if isinstance(rules, MetricReasoner):
        if background is not None:
            raise HoldsforError("a metric program has no background")
        rules.require_no_errors()
        return rules
    if isinstance(rules, Reasoner):
        found = rules if background is None else rules.with_background(background)
        found.require_no_errors()
        return found
    paths = [rules] if isinstance(rules, str | Path) else list(rules)
    return program_of([source for path in paths for source in sources(path)], background)


def program_of(found: Sequence[Source], background: Background | None = None) -> AnyReasoner:
    """Rule texts as one program."""
    if not found:
        raise HoldsforError("no rules are given")
    made: AnyReasoner
    if all(source.name.endswith(METRIC_FILES) for source in found) and background is None:
        made = from_metric_sources(found)
    else:
        made = from_program(parse_sources(found, _read) + background_program(background))
    made.require_no_errors()
    return made


def _read(path: Path) -> Source:
    """A file that rules load: from the revision that the rules are from."""
    revision = _revision_of(str(path))
    if revision is None:
        return read_source(path)
    inside = Path(os.path.normpath(str(path).partition(":")[2]))
    candidates = [inside, inside.with_name(f"{inside.name}.prolog"), inside.with_name(f"{inside.name}.pl")]
    for one in candidates[:-1]:
        try:
            return sources_at(revision, one)[0]
        except HoldsforError:
            continue
    return sources_at(revision, candidates[-1])[0]


def _revision_of(name: str) -> str | None:
    revision, colon, path = name.partition(":")
    # A letter before the colon is a drive.
    return revision if colon and path and len(revision) > 1 and not Path(name).exists() else None


def sources(path: str | Path) -> list[Source]:
    """The rule texts that a file, a folder or `REVISION:PATH` stands for."""
    where = Path(path)
    if where.is_dir():
        files = sorted(one for one in where.rglob("*") if one.suffix in RULE_FILES and one.is_file())
        if not files:
            raise HoldsforError(f"{path} has no rule files ({', '.join(RULE_FILES)})")
        return [read_source(one) for one in files]
    revision = _revision_of(str(path))
    if revision is not None:
        return sources_at(revision, Path(str(path).partition(":")[2]))
    return [read_source(path)]
