"""Which test follows which page, and what is left out, for what reason."""

from __future__ import annotations

FOLLOWED = [
    "builder.md",
    "cheat-sheet.md",
    "command-line.md",
    "concepts/intervals.md",
    "concepts/keys.md",
    "concepts/windows.md",
    "datalogmtl.md",
    "explain.md",
    "howto/absence.md",
    "howto/alert.md",
    "howto/backfill.md",
    "howto/count-in-a-window.md",
    "howto/debounce.md",
    "howto/from-flink.md",
    "howto/from-meteor.md",
    "howto/from-rtec.md",
    "howto/join-a-table.md",
    "howto/late-data.md",
    "howto/life-of-a-rule.md",
    "howto/timeout.md",
    "howto/your-data.md",
    "incremental.md",
    "index.md",
    "language.md",
    "mcp.md",
    "mixing.md",
    "pictures.md",
    "plan.md",
    "reviewing.md",
    "running.md",
    "swapping.md",
    "testing.md",
    "tutorial.md",
]
"""Need nothing but the package; an empty folder is enough."""

ON_SPARK = ["howto/lakehouse.md", "howto/several-sources.md", "maritime_signals.md", "spark.md", "streaming.md"]
"""Followed by tests/spark/test_docs.py, in the session of its tests. So is what FOLLOWED pages say about Spark."""

WITH_SERVERS = ["connectors.md", "howto/kafka.md", "howto/postgresql.md", "howto/spark-cluster.md"]
"""Followed by tests/spark/connectors/test_howto.py, with servers of its own."""

OTHERWISE = {"README.md": "tests/unit/test_readme.py"}
"""Have a test of their own."""

ELSEWHERE = {
    ("explain.md", "from holdsfor.spark import explain"): "needs Spark: tests/spark/test_docs.py",
}
"""Blocks of followed pages that another test runs, by a line that is in them."""

NOT_RUN = {
    ("connectors.md", "$ pip install '.[nats,kafka,postgres]'"): "installs packages",
    ("connectors.md", 'spark.read.format("jdbc")'): "needs a jar with the driver; nothing of ours is in it",
    ("editors.md", "[language-server.holdsfor]"): "settings of another program",
    ("maritime.md", "holdsfor maritime run sea --postgres postgresql://me@db.example/ships"): (
        "takes minutes: tests/maritime runs each of the commands on small data"
    ),
}
"""Blocks that no test runs."""


def left_out(page: str) -> set[str]:
    """Lines of the blocks that are not for those who follow a page without Spark."""
    return {line for name, line in (*ELSEWHERE, *NOT_RUN) if name == page}


def never_run(page: str) -> set[str]:
    """Lines of the blocks that are for nobody."""
    return {line for name, line in NOT_RUN if name == page}
