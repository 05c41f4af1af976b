"""The interval kernels by themselves, beside a sort of as many integers."""

from __future__ import annotations

from functools import partial

import numpy as np
from benchmarks.suite.data.kernels import Kernel, kernels
from benchmarks.suite.workload import Figures, Ready, Task, Workload, again

SORT = "int64 sort"


def _run(kernel: Kernel) -> Figures:
    kernel.action()
    return {"rows": kernel.rows, "goal": kernel.goal}


def _kernels(rows: int, quick: bool) -> Ready:
    rows, groups = (20_000, 1_000) if quick else (rows, 50_000)
    unsorted = np.random.default_rng(2).integers(0, 1 << 40, rows)
    every = [Kernel(SORT, partial(np.sort, unsorted), rows, 1.0), *kernels(rows, groups)]
    tasks = {kernel.name: Task(again(partial(_run, kernel)), repeat=9) for kernel in every}
    return Ready(tasks, {"rows": rows, "groups": groups})


WORKLOADS = [
    Workload("kernels-1m", "interval kernels, a million rows", partial(_kernels, 1_000_000)),
    Workload("kernels-10m", "interval kernels, ten million rows", partial(_kernels, 10_000_000), slow=True),
]
