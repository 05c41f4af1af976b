"""The pages about Kafka, PostgreSQL and clusters, with real servers: what they say is what happens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import DOCS, Page


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("spark")
def test_a_cluster() -> None:
    Page(DOCS / "howto/spark-cluster.md").follow()


@pytest.mark.usefixtures("spark")
def test_kafka(kafka_servers: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KAFKA_SERVERS", kafka_servers)
    Page(DOCS / "howto/kafka.md").follow()


@pytest.mark.usefixtures("spark")
def test_postgresql(postgres_url: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POSTGRES_URL", postgres_url)
    Page(DOCS / "howto/postgresql.md").follow()
