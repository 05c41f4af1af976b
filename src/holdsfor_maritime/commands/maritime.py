"""`maritime`: from position reports of ships to situations, in three stages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from holdsfor.cli.common import friendly_errors
from holdsfor.cli.examples import EXAMPLES, ExampleCommand
from holdsfor.diagnostics import HoldsforError

if TYPE_CHECKING:
    from rich.console import Console

    from holdsfor_maritime.pipeline import PipelineJob

EXAMPLES.update(
    {
        "maritime generate": (("a data set", "holdsfor maritime generate sea --vessels 50 --hours 6"),),
        "maritime signals": (("only the critical events", "holdsfor maritime signals sea --engine local"),),
        "maritime run": (("situations and a report", "holdsfor maritime run sea --engine local"),),
        "maritime report": (("the report again", "holdsfor maritime report sea"),),
        "maritime rules": (("to read, or to change", "holdsfor maritime rules"),),
    }
)

maritime = typer.Typer(
    help="Position reports of ships (AIS) to situations at sea: generate, run, report.",
    no_args_is_help=True,
)

Dataset = Annotated[
    Path,
    typer.Argument(
        help="Folder with nari_dynamic, nari_static.csv, areas.geojson and optionally truth.csv.",
        metavar="DIR",
        file_okay=False,
    ),
]
Out = Annotated[
    Path | None, typer.Option("--out", "-o", help="Folder for the results; default: DIR/results.", file_okay=False)
]


# With little data, most of the time goes into compiling what then runs for a moment.
_QUICK_JAVA = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
_QUIET = Path(__file__).with_name("quiet.log4j2.properties")
_SMALL = {"spark.sql.codegen.wholeStage": "false", "spark.sql.shuffle.partitions": "2"}


class Runtime(StrEnum):
    """The engine of the stages."""

    SPARK = "spark"
    LOCAL = "local"


Thresholds = Annotated[Path | None, typer.Option(help="TOML file with thresholds of the signals.")]
Engine = Annotated[Runtime, typer.Option(help="Where to run.")]
Master = Annotated[str, typer.Option(help="With --engine spark: the Spark master.")]


@maritime.command(cls=ExampleCommand)
def generate(
    path: Annotated[Path, typer.Argument(help="Folder to write the data set to.", metavar="DIR", file_okay=False)],
    vessels: Annotated[int, typer.Option(min=10, help="Number of vessels.")] = 200,
    hours: Annotated[float, typer.Option(min=1, help="Length of the data set in hours.")] = 24,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the random generator.")] = 1,
    engine: Annotated[Runtime, typer.Option(help="Spark writes large sets in parts, in parallel.")] = Runtime.LOCAL,
    master: Master = "local[*]",
) -> None:
    """Generate position reports of ships, and the truth about what they do."""
    with friendly_errors(), needs_extra():
        from holdsfor_maritime.generator import generate as write

        with session_of(master if engine is Runtime.SPARK else None) as spark:
            reports = write(path, vessels=vessels, hours=hours, seed=seed, spark=spark)
    typer.echo(f"{reports:,} position reports of {vessels:,} vessels in {path}")


@maritime.command(cls=ExampleCommand)
def signals(
    dataset: Dataset,
    out: Out = None,
    thresholds: Thresholds = None,
    engine: Engine = Runtime.SPARK,
    master: Master = "local[*]",
) -> None:
    """Only stage 1: the critical events of a data set as Parquet, and how many there are."""
    with friendly_errors(), needs_extra():
        from holdsfor_maritime.pipeline import emptied

        folder = emptied(results_of(dataset, out) / "signals")
        if engine is Runtime.LOCAL:
            from holdsfor_maritime.signals.local import critical_events as found_here

            counts = found_here(dataset, thresholds, out=folder).counts()
        else:
            from holdsfor_maritime.signals.batch import critical_events as found_by

            with session_of(master) as spark:
                counts = found_by(spark, dataset, thresholds, out=folder).counts()
    for name, number in counts.items():
        typer.echo(f"{number:12,}  {name}")


@maritime.command(cls=ExampleCommand)
def run(
    dataset: Dataset,
    out: Out = None,
    thresholds: Thresholds = None,
    limits: Annotated[list[Path], typer.Option(help="Rule files with limits, instead of the built-in ones.")] = [],  # noqa: B006
    all_fluents: Annotated[bool, typer.Option("--all", help="Keep the intervals of every fluent.")] = False,
    postgres: Annotated[
        str | None, typer.Option(help="Write situations to this PostgreSQL as well: postgresql://user@host/db.")
    ] = None,
    table: Annotated[str, typer.Option(help="The table there.")] = "situations",
    engine: Engine = Runtime.SPARK,
    master: Master = "local[*]",
) -> None:
    """Recognise situations in a data set: signals, rules, files, a report."""
    from rich.console import Console

    with friendly_errors(), needs_extra():
        from holdsfor_maritime.pipeline import PipelineJob

        place = results_of(dataset, out)
        job = PipelineJob(dataset, place, thresholds, tuple(limits), all_fluents, postgres, table)
        run_job(job, engine, master, Console())


@maritime.command(cls=ExampleCommand)
def report(dataset: Dataset, out: Out = None) -> None:
    """Write the report of a run again, and print a summary."""
    from rich.console import Console

    with friendly_errors(), needs_extra():
        from holdsfor_maritime.pipeline import reported
        from holdsfor_maritime.report.findings import load_findings

        show(reported(load_findings(dataset, results_of(dataset, out))), Console())


@maritime.command(cls=ExampleCommand)
def rules() -> None:
    """Print the rules and their limits, to read or to change."""
    from holdsfor_maritime.rules import LIMITS, RULES

    for path in (*RULES, LIMITS):
        typer.echo(f"% {path.name}\n\n{path.read_text(encoding='utf-8')}")


def run_job(job: PipelineJob, engine: Runtime, master: str, console: Console, *, small: bool = False) -> None:
    """Executes a job with progress, and prints a summary. For a `small` job, Spark compiles less."""
    from holdsfor_maritime.pipeline import run_locally, run_on_spark

    if engine is Runtime.LOCAL:
        if job.postgres is not None:
            raise HoldsforError("--postgres needs --engine spark")
        with console.status("") as status:
            findings = run_locally(job, status.update)
    else:
        with console.status("starting Spark") as status, session_of(master, small=small) as spark:
            findings = run_on_spark(spark, job, status.update)
    show(findings, console)


def show(findings: object, console: Console) -> None:
    """Prints a summary and the path of the report."""
    from holdsfor_maritime.report.findings import REPORT, Findings
    from holdsfor_maritime.report.terminal import print_summary

    assert isinstance(findings, Findings)
    print_summary(findings, console)
    page = (findings.out / REPORT).resolve()
    console.print(f"\nThe map, time-lines and all numbers: [link={page.as_uri()}]{page}[/link]", soft_wrap=True)


def results_of(dataset: Path, out: Path | None) -> Path:
    """The folder of the results of a data set."""
    if not dataset.is_dir():
        raise HoldsforError(f"there is no folder {dataset}; make one: holdsfor maritime generate {dataset}")
    return dataset / "results" if out is None else out


@contextmanager
def needs_extra() -> Iterator[None]:
    """Turns missing packages into a message with the extra to install."""
    try:
        yield
    except ModuleNotFoundError as problem:
        if problem.name in {"shapely", "h3", "numba", "pyspark", "pandas"}:
            raise HoldsforError(f"{problem.name} is not installed: pip install 'holdsfor[maritime]'") from None
        raise


@contextmanager
def session_of(master: str | None, *, small: bool = False) -> Iterator[Any]:
    """A Spark session for the duration of a block; None without a master."""
    if master is None:
        yield None
        return
    from holdsfor.cli.spark import spark_session

    java = f"-Dlog4j2.configurationFile={_QUIET.as_uri()}"
    options = {"spark.driver.extraJavaOptions": f"{java} {_QUICK_JAVA}", **_SMALL} if small else {}
    spark = spark_session(master, {"spark.driver.extraJavaOptions": java, **options})
    try:
        yield spark
    finally:
        spark.stop()
