"""holdsfor comes to machines that have no checkout: packed with the job, or as a wheel that is installed there."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from holdsfor.spark.java import JavaMissing, require_java

pyspark = pytest.importorskip("pyspark")
ROOT = Path(__file__).parents[2]
SCRIPTS = ROOT / "examples/spark_submit"
GIVEN = ("events.csv", "rules.prolog", "mapping.toml")
NAMESPACES = subprocess.run(["unshare", "-m", "true"], capture_output=True, check=False).returncode == 0
"""Whether processes can be kept from seeing folders here."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout. Building one takes minutes; `HOLDSFOR_TEST_WHEEL` names one that there is."""
    known = os.environ.get("HOLDSFOR_TEST_WHEEL")
    if known:
        return Path(known)
    folder = tmp_path_factory.mktemp("wheels")
    command = [sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-q", "-w", str(folder), "."]
    subprocess.run(command, cwd=ROOT, check=True)
    (made,) = folder.glob("*.whl")
    return made


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment as the image has it: what the Dockerfile copies is there, and what it runs works."""
    place = tmp_path_factory.mktemp("image")
    plain = place / "plain"
    subprocess.run([sys.executable, "-m", "venv", str(plain)], check=True)
    text = re.sub(r"\\\n\s*", "", (SCRIPTS / "Dockerfile").read_text())
    (copied,) = re.findall(r"^COPY (.*) /opt/holdsfor/$", text, re.MULTILINE)
    patterns = copied.split()
    assert patterns[0] == "*.whl"
    opt = place / "opt"
    opt.mkdir()
    for source in [wheel, *(SCRIPTS / name for name in patterns[1:])]:
        shutil.copy(source, opt)
    (line,) = re.findall(r"^RUN (.*)$", text, re.MULTILINE)
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    line = line.replace("/opt/holdsfor", str(opt)).replace("${PYTHON}", version)
    paths = f"{plain}/bin:{Path(sys.base_prefix) / 'bin'}:{os.environ['PATH']}"
    settings = {**outside(), "PATH": paths, "UV_PYTHON_INSTALL_DIR": f"{opt}/python"}
    subprocess.run(["bash", "-ec", line], env=settings, check=True)
    (python,) = set(re.findall(r"PYTHON=/opt/holdsfor/(\S+)", text))
    assert (opt / python).exists()
    return opt / python


def outside() -> dict[str, str]:
    """The variables of a process that knows nothing of this checkout and of the environment of the tests."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYSPARK", "VIRTUAL"))}


def submitted(folder: Path, monkeypatch: pytest.MonkeyPatch, command: list[str], given: dict[str, str]) -> Any:
    """What a job says that is submitted to a cluster; its workers do not see the sources, nor the folder of the driver."""
    from tests.spark.cluster import cluster

    try:
        require_java()
    except JavaMissing as problem:
        pytest.skip(str(problem))
    for name in set(os.environ) - set(outside()):
        monkeypatch.delenv(name)
    driver = folder / "driver"
    for name in GIVEN:
        shutil.copy(SCRIPTS / name, driver)
    shutil.copy(Path(__file__).with_name("shipped_job.py"), driver)
    paths = f"{Path(pyspark.__file__).parent}/bin:{os.environ['PATH']}"
    options = ["spark.driver.host=127.0.0.1", "spark.driver.bindAddress=127.0.0.1", "spark.executor.memory=600m"]
    options += ["spark.ui.enabled=false"]
    hidden = (ROOT / "src", driver) if NAMESPACES else ()
    with cluster(folder, hidden=hidden) as master:
        line = [str(SCRIPTS / command[0]), master, command[1], *(word for one in options for word in ("--conf", one))]
        done = subprocess.run(
            [*line, "shipped_job.py", str(driver), "answer.json"],
            cwd=driver,
            env={**outside(), "PATH": paths, **given},
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads((driver / "answer.json").read_text())


def require_answers(told: Any) -> None:
    """The rows of a local run: `tests/examples` has the engines give these."""
    with (SCRIPTS / "expected.csv").open() as file:
        wanted = [tuple(row) for row in list(csv.reader(file))[1:]]
    assert sorted(tuple(map(str, row)) for row in told["rows"]) == sorted(wanted)
    assert told["places"]
    if NAMESPACES:
        assert not any(place["seen"] for place in told["places"])


@pytest.mark.slow
def test_packed(wheel: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    driver = tmp_path / "driver"
    driver.mkdir()
    packed = driver / "environment.tar.gz"
    subprocess.run(
        [SCRIPTS / "pack.sh", wheel, packed], env={**outside(), "PYTHON": sys.executable}, check=True, cwd=tmp_path
    )
    given = {"PYTHON": sys.executable, "PYTHONPATH": str(ROOT / "src")}
    told = submitted(tmp_path, monkeypatch, ["archives.sh", str(packed)], given)
    require_answers(told)
    for place in told["places"]:
        assert place["package"].startswith(str(tmp_path / "work-0")), place
        assert "/environment/lib/" in place["package"]


@pytest.mark.slow
def test_installed(environment: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "driver").mkdir()
    told = submitted(tmp_path, monkeypatch, ["installed.sh", str(environment)], {})
    require_answers(told)
    for place in told["places"]:
        assert place["package"].startswith(str(environment.parents[1])), place


def said_by(script: str, command: str, arguments: list[str], folder: Path) -> list[list[str]]:
    """What a script calls a command with that does not exist here."""
    fake = folder / command
    fake.write_text('#!/usr/bin/env bash\npython3 -c "import json, sys; print(json.dumps(sys.argv[1:]))" "$@"\n')
    fake.chmod(0o755)
    settings = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    done = subprocess.run(
        [SCRIPTS / script, *arguments], env=settings, capture_output=True, text=True, check=True, cwd=folder
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_kubernetes_runs_what_the_image_has(tmp_path: Path) -> None:
    (call,) = said_by(
        "kubernetes.sh", "spark-submit", ["https://api:6443", "me/image", "s3a://in", "s3a://out"], tmp_path
    )
    assert call[:4] == ["--master", "k8s://https://api:6443", "--deploy-mode", "cluster"]
    assert "spark.kubernetes.container.image=me/image" in call
    *_, job, rules, events, mapping, output = call
    assert (events, output) == ("s3a://in", "s3a://out")
    copied = re.search(r"^COPY (.*)$", (SCRIPTS / "Dockerfile").read_text(), re.MULTILINE)
    assert copied is not None
    *sources, target = copied[1].split()
    for path in (job.removeprefix("local://"), rules, mapping):
        folder, _, name = path.rpartition("/")
        assert f"{folder}/" == target
        assert name in sources
        assert (SCRIPTS / name).exists()


def test_databricks_installs_what_was_copied(tmp_path: Path) -> None:
    copied, installed = said_by("databricks.sh", "databricks", ["dist/h.whl", "0101-abc", "/Volumes/a/b/c"], tmp_path)
    assert copied == ["fs", "cp", "--overwrite", "dist/h.whl", "dbfs:/Volumes/a/b/c/h.whl"]
    assert installed[:3] == ["libraries", "install", "--json"]
    assert json.loads(installed[3]) == {"cluster_id": "0101-abc", "libraries": [{"whl": "/Volumes/a/b/c/h.whl"}]}
