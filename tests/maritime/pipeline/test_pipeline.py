"""The three stages put together: the same on Spark and without, as Parquet and in PostgreSQL."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

pytest.importorskip("shapely", reason="needs shapely: pip install 'holdsfor[maritime]'")

from holdsfor.cli import app
from holdsfor.diagnostics import HoldsforError
from holdsfor_maritime.generator import generate
from holdsfor_maritime.pipeline import PipelineJob, run_locally, run_on_spark
from holdsfor_maritime.report.findings import Findings, load_findings
from holdsfor_maritime.report.rows import ROWS
from holdsfor_maritime.report.store import to_postgres
from holdsfor_maritime.rules import SITUATIONS

pytestmark = pytest.mark.filterwarnings("ignore")
VESSELS, HOURS = 60, 24


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sea")
    generate(folder, vessels=VESSELS, hours=HOURS, seed=7)
    return folder


@pytest.fixture(scope="module")
def local(dataset: Path, tmp_path_factory: pytest.TempPathFactory) -> Findings:
    return run_locally(PipelineJob(dataset, tmp_path_factory.mktemp("local")))


def as_set(rows: pa.Table) -> set[tuple[Any, ...]]:
    return set(zip(*(rows[name].to_pylist() for name in ROWS.names), strict=True))


def test_truth_is_found(local: Findings) -> None:
    """On generated data the rules find nearly everything that happens on purpose, and little else."""
    by_name = {score.situation: score for score in local.scores}
    assert set(by_name) == {one.name for one in SITUATIONS} - {"illegalFishing", "highSpeedNearCoast"}
    for name, score in by_name.items():
        assert score.time_recall > 0.7, name
        assert score.time_precision > 0.7, name
    assert sum(score.time_recall > 0.9 for score in by_name.values()) >= 6


def test_spark_finds_the_same(spark: Any, dataset: Path, local: Findings, postgres_url: str, tmp_path: Path) -> None:
    job = PipelineJob(dataset, tmp_path, postgres=postgres_url, table="found_at_sea")
    found = run_on_spark(spark, job)
    assert as_set(found.rows) == as_set(local.rows)
    assert found.run["counts"] == local.run["counts"]
    assert list(found.seconds) == ["signals", "recognition", "PostgreSQL", "report"]
    import psycopg

    with psycopg.connect(postgres_url) as connection:
        names = ", ".join(f'"{name}"' for name in ROWS.names)
        stored = connection.execute(f"SELECT {names} FROM found_at_sea").fetchall()
        assert set(stored) == as_set(local.rows)
        # What is written again is there once.
        to_postgres(spark, tmp_path, postgres_url, "found_at_sea")
        assert connection.execute("SELECT count(*) FROM found_at_sea").fetchone() == (len(stored),)


def test_files(local: Findings) -> None:
    rows = pq.read_table(local.out / "intervals")
    assert rows.schema.names == ROWS.names
    assert {row["situation"] for row in rows.to_pylist()} <= {one.name for one in SITUATIONS}
    assert (local.out / "report.html").stat().st_size > 50_000
    again = load_findings(local.dataset, local.out)
    assert again.counts == local.counts
    assert again.scores == local.scores


def test_all_fluents_and_own_limits(dataset: Path, tmp_path: Path) -> None:
    """A limit of one's own takes effect; with --all, every fluent is kept."""
    from holdsfor_maritime.rules import LIMITS

    strict = tmp_path / "limits.prolog"
    text = LIMITS.read_text()
    assert "threshold(loiteringTime, 3600)." in text
    strict.write_text(text.replace("threshold(loiteringTime, 3600).", "threshold(loiteringTime, 360000)."))
    found = run_locally(PipelineJob(dataset, tmp_path / "out", limits=(strict,), all_fluents=True))
    assert {"withinArea", "movingSpeed", "haul"} <= found.found_names
    assert "loitering" not in found.found_names
    assert next(row for row in found.rows.to_pylist() if row["situation"] == "withinArea")["area"] is not None


def test_commands(tmp_path: Path) -> None:
    """Generate, run, report, and what they say if something is missing."""
    folder, run = tmp_path / "sea", CliRunner().invoke
    made = run(app, ["maritime", "generate", str(folder), "--vessels", "20", "--hours", "6", "--seed", "3"])
    assert made.exit_code == 0, made.output
    assert "position reports of 20 vessels" in made.output
    events = run(app, ["maritime", "signals", str(folder), "--engine", "local"])
    assert events.exit_code == 0, events.output
    assert "velocity" in events.output
    nothing = run(app, ["maritime", "report", str(folder)])
    assert nothing.exit_code == 1
    assert "there is no run in" in nothing.output
    found = run(app, ["maritime", "run", str(folder), "--engine", "local"])
    assert found.exit_code == 0, found.output
    assert "situations" in found.output
    assert "report.html" in found.output
    again = run(app, ["maritime", "report", str(folder)])
    assert again.exit_code == 0, again.output
    assert "Anchored or moored" in again.output
    assert "initiatedAt(withinArea" in run(app, ["maritime", "rules"]).output
    missing = run(app, ["maritime", "run", str(tmp_path / "nowhere")])
    assert missing.exit_code == 1
    assert "holdsfor maritime generate" in missing.output
    refused = run(app, ["maritime", "run", str(folder), "--engine", "local", "--postgres", "postgresql://x/y"])
    assert refused.exit_code == 1
    assert "--postgres needs --engine spark" in refused.output


def test_no_run(tmp_path: Path) -> None:
    with pytest.raises(HoldsforError, match="there is no run"):
        load_findings(tmp_path, tmp_path)
