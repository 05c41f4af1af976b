"""The names of the engines, the same on the command line and in tests of rules."""

from enum import StrEnum


class Engine(StrEnum):
    """The engine that evaluates the rules."""

    LOCAL = "local"
    REFERENCE = "reference"
    SPARK = "spark"
