"""Collects answers to many requests through one subscription, because the client creates a task per request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from holdsfor.spark.connectors.common import ConnectorError

if TYPE_CHECKING:
    from nats.aio.client import Client
    from nats.aio.msg import Msg


class Inbox:
    """Collects messages sent to one private subject."""

    def __init__(self, client: Client, is_last: Callable[[Msg], bool]) -> None:
        self.subject: str = client.new_inbox()
        self._client = client
        self._is_last = is_last
        self._subscription: Any = None
        self._found: list[Msg] = []
        self._wanted = 0
        self._full = asyncio.Event()

    async def open(self) -> None:
        """Starts to listen. The requester must respect the limits of the client's buffers."""
        self._subscription = await self._client.subscribe(
            self.subject, cb=self._take, pending_msgs_limit=-1, pending_bytes_limit=-1
        )

    async def _take(self, message: Msg) -> None:
        self._found.append(message)
        if len(self._found) >= self._wanted or self._is_last(message):
            self._full.set()

    async def collect(self, count: int, seconds: float, what: str) -> list[Msg]:
        """Waits for `count` messages, or fewer if the last one marks the end."""
        self._wanted = count
        if len(self._found) < count and not any(map(self._is_last, self._found)):
            self._full.clear()
            try:
                async with asyncio.timeout(seconds):
                    await self._full.wait()
            except TimeoutError:
                raise ConnectorError(f"holdsfor-nats: {what} in {seconds:g} s") from None
        found, self._found = self._found, []
        return found
