"""Connects to NATS, and queries the extent of a JetStream stream."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from holdsfor.spark.connectors.common import ConnectorError
from holdsfor.spark.connectors.options import Options

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.js.client import JetStreamContext

CONNECTION_OPTIONS = ("servers", "user", "password", "token", "credentials", "timeoutSeconds")
_TRIES = 3


@dataclass(frozen=True)
class Servers:
    """The addresses of the servers and the login."""

    addresses: tuple[str, ...]
    login: tuple[tuple[str, str], ...]
    timeout: int

    @staticmethod
    def of(options: Options) -> Servers:
        """Reads the options."""
        options.required("servers")
        words = {"user": "user", "password": "password", "token": "token", "credentials": "user_credentials"}
        login = tuple((word, value) for name, word in words.items() if (value := options.text(name)) is not None)
        return Servers(options.names("servers"), login, options.whole("timeoutSeconds", 30) or 30)

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[Client]:
        """A connection that is closed at the end."""
        import nats
        from nats.errors import Error

        tries: list[Exception] = []

        async def note(problem: Exception) -> None:
            """Records the problem of one attempt, which the client would print."""
            tries.append(problem)

        options: dict[str, Any] = {**dict(self.login), "error_cb": note}
        try:
            client = await nats.connect(
                list(self.addresses),
                connect_timeout=self.timeout,
                max_reconnect_attempts=_TRIES,
                reconnect_time_wait=1,
                **options,
            )
        except (Error, OSError) as problem:
            reason = tries[-1] if tries else problem
            raise ConnectorError(f"holdsfor-nats: cannot connect to {', '.join(self.addresses)}: {reason}") from None
        try:
            yield client
        finally:
            await client.close()

    def jetstream(self, client: Client) -> JetStreamContext:
        """A JetStream context with the timeout of the options."""
        return client.jetstream(timeout=self.timeout)


@dataclass(frozen=True)
class Extent:
    """The messages of a stream: sequence numbers from `first` up to, but not including, `next`."""

    created: str
    first: int
    next: int


async def extent_of(jetstream: JetStreamContext, stream: str) -> Extent:
    """The extent of a stream now."""
    from nats.js.errors import NotFoundError

    try:
        info = await jetstream.stream_info(stream)
    except NotFoundError:
        raise ConnectorError(f"holdsfor-nats: there is no stream {stream!r}") from None
    first, following = info.state.first_seq, info.state.last_seq + 1
    # A stream that never had a message reports 0 as its first sequence number.
    return Extent(str(info.created), max(1, min(first, following)), following)


async def first_after(jetstream: JetStreamContext, stream: str, moment: datetime, otherwise: int) -> int:
    """The sequence number of the first message stored at or after a time."""
    from nats.js.api import AckPolicy, ConsumerConfig, DeliverPolicy

    config = ConsumerConfig(
        deliver_policy=DeliverPolicy.BY_START_TIME,
        opt_start_time=moment,
        ack_policy=AckPolicy.NONE,
        inactive_threshold=30,
        mem_storage=True,
    )
    subscription = await jetstream.pull_subscribe("", stream=stream, config=config)
    try:
        if not (await subscription.consumer_info()).num_pending:
            return otherwise
        [message] = await subscription.fetch(1)
        return int(message.metadata.sequence.stream)
    finally:
        await jetstream.delete_consumer(stream, str(config.name))


async def next_of(jetstream: JetStreamContext, stream: str, subjects: Sequence[str], low: int) -> int | None:
    """The sequence number of the first message with one of the subjects, at least `low`."""
    from nats.js.errors import NotFoundError

    found = []
    for subject in subjects:
        try:
            message = await jetstream.get_msg(stream, seq=low, subject=subject, next=True)
        except NotFoundError:
            continue
        found.append(int(message.seq or low))
    return min(found, default=None)
