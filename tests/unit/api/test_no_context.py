"""What runs on Spark Connect, and on clusters that several people share, has no Spark context, no RDDs and no JVM."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

import holdsfor

SPARK = Path(holdsfor.__file__).parent / "spark"
REFUSED = frozenset(
    {"sparkContext", "_sc", "rdd", "_jvm", "_jsc", "_jdf", "_jsparkSession", "_jspark_session", "SparkContext"}
)
ALLOWED = {"session.py": ["sparkContext"]}
"""Of a classic session on one machine, the Python of the workers is only known to its context."""


def names(text: str) -> list[str]:
    """The refused names that a source mentions: as an attribute, in an import, or as a text for `getattr`."""
    found = []
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Attribute(attr=name) | ast.Name(id=name) | ast.alias(name=name) | ast.Constant(value=str(name)):
                if name in REFUSED:
                    found.append(name)
    return found


def test_sources() -> None:
    paths = sorted(SPARK.rglob("*.py"))
    assert len(paths) > 50
    found = {path.relative_to(SPARK).as_posix(): names(path.read_text("utf-8")) for path in paths}
    assert {path: listed for path, listed in found.items() if listed} == ALLOWED


@pytest.mark.parametrize(
    "text", ["a.rdd.map(f)", "spark._jvm.x()", "from pyspark import SparkContext", 'getattr(spark, "sparkContext")']
)
def test_the_test(text: str) -> None:
    assert len(names(text)) == 1
