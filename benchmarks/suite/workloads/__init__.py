"""All workloads, by name."""

from __future__ import annotations

from benchmarks.suite.workload import Workload
from benchmarks.suite.workloads import (
    applications,
    delays,
    live,
    maritime,
    metric,
    metric_changes,
    peers,
    review,
    sequences,
    spark,
    starting,
)

ALL: dict[str, Workload] = {
    workload.name: workload
    for module in (
        applications,
        sequences,
        delays,
        maritime,
        metric,
        metric_changes,
        live,
        starting,
        peers,
        review,
        spark,
    )
    for workload in module.WORKLOADS
}
