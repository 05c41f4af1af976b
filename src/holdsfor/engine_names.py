"""The names of the engines, the same on the command line and in tests of rules."""

from enum import StrEnum


class Engine(StrEnum):
    """What evaluates the rules."""

    LOCAL = "local"
    REFERENCE = "reference"
    SPARK = "spark"
