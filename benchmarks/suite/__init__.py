"""The benchmark suite: named workloads, each measured in a process of its own, beside the figures of other systems."""

# Before NumPy, as in a program that begins with it: it tells NumPy which instructions not to use on some processors.
import holdsfor  # noqa: F401
