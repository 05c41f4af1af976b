"""`demo`: the maritime pipeline on generated data."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from holdsfor.cli.common import friendly_errors
from holdsfor.cli.examples import EXAMPLES
from holdsfor.diagnostics import HoldsforError
from holdsfor_maritime.commands.maritime import Runtime, needs_extra, run_job

if TYPE_CHECKING:
    from rich.console import Console

EXAMPLES["demo"] = (
    ("a day at sea, on Spark if there is Java", "holdsfor demo"),
    ("another day, without Spark", "holdsfor demo --seed 3 --engine local --out day3"),
)


def demo(
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Folder for the data set and the results.", file_okay=False)
    ] = Path("holdsfor-demo"),
    vessels: Annotated[int, typer.Option(min=10, help="Number of vessels.")] = 80,
    hours: Annotated[float, typer.Option(min=1, help="Length of the data set in hours.")] = 24,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random generator.")] = 7,
    engine: Annotated[
        Runtime | None, typer.Option(help="Where to run: spark or local; Spark if Java 17 is found, if not given.")
    ] = None,
    master: Annotated[str, typer.Option(help="With --engine spark: the Spark master.")] = "local[2]",
) -> None:
    """Run the maritime pipeline on a generated day at sea: position reports, signals, situations, a report."""
    from rich.console import Console

    console = Console()
    begin = time.perf_counter()
    with friendly_errors(), needs_extra():
        from holdsfor_maritime.generator import generate
        from holdsfor_maritime.pipeline import PipelineJob

        chosen = engine or _runtime(console)
        if chosen is Runtime.SPARK:
            _require_java()
        reports = generate(out, vessels=vessels, hours=hours, seed=seed)
        console.print(f"{reports:,} position reports of {vessels} vessels in {hours:g} hours, made up in {out}/")
        run_job(PipelineJob(out, out / "results"), chosen, master, console, small=True)
    console.print(
        f"Done in {time.perf_counter() - begin:.0f} s. The rules: [bold]holdsfor maritime rules[/]. "
        f"Intervals as Parquet: {out / 'results' / 'intervals'}",
        soft_wrap=True,
    )


def _runtime(console: Console) -> Runtime:
    """Spark if it can start; otherwise the local engine, with a hint."""
    from holdsfor.spark.java import JavaMissing, require_java

    try:
        require_java()
    except JavaMissing as problem:
        console.print(
            f"{problem}\nThis run is on the local engine, which finds the same. With Java, Spark finds the signals and the "
            "situations and writes them as Parquet in parts, as it would on a cluster with data that fits no single machine.",
            soft_wrap=True,
            markup=False,
            highlight=False,
        )
        return Runtime.LOCAL
    return Runtime.SPARK


def _require_java() -> None:
    from holdsfor.spark.java import JavaMissing, require_java

    try:
        require_java()
    except JavaMissing as problem:
        raise HoldsforError(f"{problem}\nOr do without Spark: holdsfor demo --engine local") from None
