"""How bugs are planted in the engine: functions are replaced, wherever they were imported. Nothing on disk changes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import pytest

from tests.strategies.engine_runs import Scenario

Plant = Callable[[pytest.MonkeyPatch], None]
Scenarios = Callable[[int], Scenario | None]
"""The scenario of a seed; None if it has no meaning."""


@dataclass(frozen=True)
class Planted:
    """A bug: what it does, in which module, and the scenarios of seeds that should find it, if not all families do."""

    name: str
    where: str
    plant: Plant
    scenarios: Scenarios | None = None


PLANTED: list[Planted] = []


def planted(where: str, scenarios: Scenarios | None = None) -> Callable[[Plant], Plant]:
    """Add a bug to the list; its name is that of the function."""

    def add(plant: Plant) -> Plant:
        PLANTED.append(Planted(plant.__name__.replace("_", " "), where, plant, scenarios))
        return plant

    return add


def _modules() -> Iterator[ModuleType]:
    for name, module in list(sys.modules.items()):
        if name.startswith(("holdsfor.columns", "holdsfor.compiler.analysis.variants")):
            yield module


def everywhere(patch: pytest.MonkeyPatch, module: ModuleType, name: str, change: Callable[[Any], Any]) -> None:
    """Replace a function in its module and in all that have imported it."""
    original = getattr(module, name)
    changed = change(original)
    for other in _modules():
        for known, value in list(vars(other).items()):
            if value is original:
                patch.setattr(other, known, changed)


def method(patch: pytest.MonkeyPatch, owner: type, name: str, change: Callable[[Any], Any]) -> None:
    """Replace a method."""
    patch.setattr(owner, name, change(getattr(owner, name)))
