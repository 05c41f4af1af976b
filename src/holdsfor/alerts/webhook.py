"""Alerts to a webhook: signed, retried, and idempotent."""

from __future__ import annotations

import hashlib
import hmac
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from urllib.parse import urlsplit

from holdsfor.alerts.alert import Alert
from holdsfor.diagnostics import HoldsforError

SIGNATURE = "X-Holdsfor-Signature"
TIMESTAMP = "X-Holdsfor-Timestamp"
DELIVERY = "Idempotency-Key"
_VERSION = "v1="
_AGAIN = frozenset({HTTPStatus.REQUEST_TIMEOUT, HTTPStatus.TOO_EARLY, HTTPStatus.TOO_MANY_REQUESTS})
"""Answers after which it is worth trying again; so is any from 500 on."""


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """The signature of a message: HMAC with SHA-256 of its timestamp, a full stop and its body.

    >>> signature("secret", "1700000000", b"{}")
    'v1=b8569b78799ff9e3cbff0fc2d63a33a2b57f3282abd07c37ae5e8e7d79a5f163'
    """
    found = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256)
    return _VERSION + found.hexdigest()


def verify(
    secret: str, headers: Mapping[str, str], body: bytes, *, tolerance: float = 300, now: float | None = None
) -> bool:
    """For receivers: whether a message was signed with the secret, and is not older than the given number of seconds."""
    given = {name.lower(): value for name, value in headers.items()}
    timestamp = given.get(TIMESTAMP.lower(), "")
    if not timestamp.isdigit() or abs((time.time() if now is None else now) - int(timestamp)) > tolerance:
        return False
    return hmac.compare_digest(signature(secret, timestamp, body), given.get(SIGNATURE.lower(), ""))


@dataclass
class Webhook:
    """Posts each alert as JSON to an address. A receiver can ignore a repeated `Idempotency-Key`.

    With a `secret`, messages are signed. After no response, 408, 425, 429, or 500 and above, the message is sent again,
    up to `attempts` times, after a `pause` that doubles up to `most_pause` seconds, or after the time in `Retry-After`.
    The last failure, and any other error status, raises an error: the alert was not delivered.
    """

    url: str
    secret: str | None = field(default=None, repr=False)
    timeout: float = 10.0
    attempts: int = 8
    pause: float = 0.5
    most_pause: float = 60.0
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    sleep: Callable[[float], None] = field(default=time.sleep, repr=False)
    sent: int = field(default=0, init=False)
    tried_again: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        parts = urlsplit(self.url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise HoldsforError(f"a webhook is an address that begins with https:// or http://, not {self.url!r}")
        if self.attempts < 1:
            raise HoldsforError(f"a webhook is tried at least once, not {self.attempts} times")

    def __call__(self, alerts: Iterable[Alert]) -> None:
        """Deliver alerts one after the other."""
        for alert in alerts:
            self._deliver(alert)
            self.sent += 1

    def _deliver(self, alert: Alert) -> None:
        body = alert.json().encode()
        pause, problem = self.pause, ""
        for attempt in range(self.attempts):
            if attempt:
                self.tried_again += 1
            retry_after = None
            try:
                with urllib.request.urlopen(self._request(alert, body), timeout=self.timeout):  # noqa: S310 -- http
                    return
            except urllib.error.HTTPError as answer:
                with answer:
                    if answer.code == HTTPStatus.CONFLICT:
                        # The receiver has this message already.
                        return
                    problem = f"{answer.code} {answer.reason}"
                    if answer.code not in _AGAIN and answer.code < HTTPStatus.INTERNAL_SERVER_ERROR:
                        break
                    retry_after = _seconds_to_wait(answer.headers.get("Retry-After"))
            except OSError as trouble:
                problem = str(getattr(trouble, "reason", trouble))
            if attempt + 1 < self.attempts:
                self.sleep(min(self.most_pause, pause if retry_after is None else max(pause, retry_after)))
                pause = min(self.most_pause, 2 * pause)
        raise HoldsforError(f"alert {alert.id} ({alert.fluent}) could not be delivered to {self._place}: {problem}")

    def _request(self, alert: Alert, body: bytes) -> urllib.request.Request:
        timestamp = str(int(time.time()))
        headers = {
            "Content-Type": "application/json",
            "User-Agent": "holdsfor",
            DELIVERY: alert.delivery,
            TIMESTAMP: timestamp,
            **self.headers,
        }
        if self.secret is not None:
            headers[SIGNATURE] = signature(self.secret, timestamp, body)
        return urllib.request.Request(self.url, data=body, headers=headers, method="POST")  # noqa: S310 -- http

    @property
    def _place(self) -> str:
        """The address without what may be a secret in it."""
        parts = urlsplit(self.url)
        return f"{parts.scheme}://{parts.hostname}{'' if parts.port is None else f':{parts.port}'}{parts.path}"


def _seconds_to_wait(retry_after: str | None) -> float | None:
    """The seconds of a `Retry-After` header, which is a number or a date."""
    if retry_after is None:
        return None
    if retry_after.isdigit():
        return float(retry_after)
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except ValueError:
        return None
