"""Servers for all tests of sources and sinks, each started once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.spark.connectors.servers import kafka_cluster, nats_server, postgres_server


@pytest.fixture(scope="session")
def nats_url() -> Iterator[str]:
    with nats_server() as address:
        yield address


@pytest.fixture(scope="session")
def kafka_servers() -> Iterator[str]:
    with kafka_cluster() as addresses:
        yield addresses


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    with postgres_server() as address:
        yield address


@pytest.fixture(scope="session")
def connected(spark: Any) -> Any:
    """The session, with the data sources registered."""
    from holdsfor.spark import connectors

    connectors.register(spark)
    return spark
