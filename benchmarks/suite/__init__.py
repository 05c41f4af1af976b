"""The benchmark suite: named workloads, each measured in a process of its own, beside the figures of other systems."""
