"""Targets name figures that there are: one that no run gives would be "not measured" for ever."""

import pytest
from benchmarks.engines.__main__ import figures_of_suite
from benchmarks.engines.targets import TARGETS, Target
from benchmarks.suite.workloads import ALL


@pytest.mark.parametrize("workload", ["import", "cold-start"])
def test_starting_is_measured(workload: str) -> None:
    tasks = ALL[workload].make(True).tasks
    taken = {name: {"wall_ms": {"min": 10.0 * place}, "cpu_ms": {"min": 1.0}} for place, name in enumerate(tasks, 1)}
    figures = figures_of_suite({"tasks": taken, "facts": {}, "rss_mb": 2.0, "rss_ready_mb": 1.0})
    (target,) = (one for one in TARGETS if one.workload == f"suite:{workload}")
    assert target.value(figures) is not None
    assert target.line(None, {"error": "broken"}).endswith("| broken |")


def test_one_figure_less_another() -> None:
    target = Target("suite:import", "start_wall_ms", "start", at_most=50, less="Python_alone_wall_ms")
    assert target.value({"start_wall_ms": 30.0, "Python_alone_wall_ms": 10.0}) == 20.0
    assert target.value({"start_wall_ms": 30.0}) is None
