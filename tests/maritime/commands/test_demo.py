"""The demo, small: from nothing to a page in one command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

pytest.importorskip("shapely", reason="needs shapely: pip install 'holdsfor[maritime]'")

from holdsfor.cli import app
from holdsfor.spark.java import JavaMissing, require_java
from holdsfor_maritime.commands.maritime import Runtime


def test_demo_without_spark(tmp_path: Path) -> None:
    answer = CliRunner().invoke(app, ["demo", "--out", str(tmp_path), "--engine", "local", "--vessels", "40"])
    assert answer.exit_code == 0, answer.output
    assert "Trawling" in answer.output
    assert "report.html" in answer.output.replace("\n", "")
    assert (tmp_path / "results" / "report.html").exists()


@pytest.mark.parametrize("options", [(), ("--engine", "spark")])
def test_demo_takes_spark_where_there_is_java(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    """What the stages do on Spark then is tested in tests/maritime/pipeline, and all of it at length below."""
    (tmp_path / "bin").mkdir()
    java = tmp_path / "bin" / "java"
    java.write_text("#!/bin/sh\necho 'openjdk version \"17.0.15\"' >&2\n")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    chosen: list[Runtime] = []
    monkeypatch.setattr("holdsfor_maritime.commands.demo.run_job", lambda _job, engine, *_, **__: chosen.append(engine))
    words = ["demo", "--out", str(tmp_path / "sea"), "--vessels", "10", "--hours", "1", *options]
    answer = CliRunner().invoke(app, words)
    assert answer.exit_code == 0, answer.output
    assert chosen == [Runtime.SPARK]
    assert "Install" not in answer.output


@pytest.mark.slow
def test_demo_on_spark(tmp_path: Path) -> None:
    """In a process of its own, as a user starts it."""
    pytest.importorskip("pyspark")
    try:
        require_java()
    except JavaMissing as problem:
        pytest.skip(str(problem))
    command = [sys.executable, "-c", "from holdsfor.cli import main; main()", "demo", "--out", str(tmp_path)]
    answer = subprocess.run(
        [*command, "--vessels", "12", "--hours", "3"], capture_output=True, text=True, timeout=600, check=False
    )
    assert answer.returncode == 0, answer.stderr
    assert "position reports" in answer.stdout
    assert json.loads((tmp_path / "results" / "run.json").read_text())["engine"] == "Spark on local[2]"
    assert (tmp_path / "results" / "report.html").exists()
    assert list((tmp_path / "results" / "intervals").glob("*.parquet"))


def test_demo_without_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On the local engine, with the line that installs Java and what it changes."""
    monkeypatch.setitem(os.environ, "JAVA_HOME", str(tmp_path / "nowhere"))
    answer = CliRunner().invoke(app, ["demo", "--out", str(tmp_path / "sea"), "--vessels", "15", "--hours", "4"])
    assert answer.exit_code == 0, answer.output
    first, second = answer.output.splitlines()[:2]
    assert first.startswith("Spark needs Java 17 and none was found. Install it: ")
    assert second.startswith("This run is on the local engine, which finds the same. With Java, Spark ")
    assert json.loads((tmp_path / "sea/results/run.json").read_text())["engine"] == "local"


def test_spark_was_asked_for_and_there_is_no_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(os.environ, "JAVA_HOME", str(tmp_path / "nowhere"))
    answer = CliRunner().invoke(app, ["demo", "--out", str(tmp_path), "--engine", "spark"])
    assert answer.exit_code == 1
    assert "Install it:" in answer.output
    assert "holdsfor demo --engine local" in answer.output
