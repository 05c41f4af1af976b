"""Settings shared by all tests."""

from __future__ import annotations

from functools import cache

import pytest
import typer.testing
from hypothesis import HealthCheck, settings

_PATIENT = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]

# The default run is repeatable: the same examples everywhere. `-m slow` and `--hypothesis-profile=explore` look further.
settings.register_profile(
    "default", max_examples=200, deadline=None, derandomize=True, database=None, suppress_health_check=_PATIENT
)
settings.register_profile(
    "explore", max_examples=2_000, deadline=None, derandomize=False, print_blob=True, suppress_health_check=_PATIENT
)
settings.register_profile("quick", settings.get_profile("default"), max_examples=20)
settings.load_profile("default")

# A runner builds all commands for each call; they are the same every time.
typer.testing._get_command = cache(typer.testing._get_command)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Tests that take minutes run only when asked for by a marker expression or by name."""
    if config.option.markexpr or any("::" in argument for argument in config.args):
        return
    slow = [item for item in items if item.get_closest_marker("slow")]
    if slow:
        config.hook.pytest_deselected(items=slow)
        items[:] = [item for item in items if item not in slow]
