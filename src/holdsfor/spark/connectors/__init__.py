"""Sources and sinks of streams, through Spark's Python Data Source API: message brokers, PostgreSQL and files.

    from holdsfor.spark import connectors

    connectors.register(spark)
    messages = spark.readStream.format("holdsfor-nats").option("servers", …).option("stream", …).load()
    events = messages.transform(connectors.json_columns("vessel string, area string, at bigint"))

The client library of a broker or database is imported where it is used, in Spark's Python workers.
"""

from __future__ import annotations

from typing import Any

__all__ = [
    "OptionError",
    "file_events",
    "json_columns",
    "kafka_messages",
    "malformed",
    "nats_messages",
    "register",
    "subject_of",
    "well_formed",
]

_HOMES = {"register": "registry", "file_events": "files", "OptionError": "options"}


def __getattr__(name: str) -> Any:
    if name in __all__:
        from importlib import import_module

        return getattr(import_module(f"{__name__}.{_HOMES.get(name, 'payload')}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
