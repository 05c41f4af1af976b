"""Configures a Kafka client, and queries the cluster for partitions and offsets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from holdsfor.spark.connectors.common import ConnectorError
from holdsfor.spark.connectors.options import OptionError, Options

if TYPE_CHECKING:
    from confluent_kafka.admin import AdminClient

PREFIX = "kafka."
EARLIEST, LATEST = -2, -1
"""The meaning of special offsets in options, as in Spark's own connector."""


class Partition(NamedTuple):
    """A partition of a topic."""

    topic: str
    partition: int


Offsets = dict[Partition, int]
When = Literal["earliest", "latest"] | datetime


@dataclass(frozen=True)
class Properties:
    """Properties of the client library, given with the prefix `kafka.`."""

    given: tuple[tuple[str, str], ...]

    @staticmethod
    def of(options: Options) -> Properties:
        """Reads the options; a login in Java's form is understood."""
        options.required("kafka.bootstrap.servers")
        given = options.after(PREFIX)
        login = given.pop("sasl.jaas.config", None)
        if login is not None:
            found = dict(re.findall(r'(username|password)\s*=\s*"([^"]*)"', login))
            if set(found) != {"username", "password"}:
                raise OptionError(
                    f"{options.source}: of option 'kafka.sasl.jaas.config' only username and password are understood; "
                    "use the properties of librdkafka, such as kafka.sasl.username"
                )
            given = {"sasl.username": found["username"], "sasl.password": found["password"], **given}
        return Properties(tuple(sorted(given.items())))

    def client(self, make: Any, **own: Any) -> Any:
        """A consumer, producer or admin client; `own` settings take precedence."""
        from confluent_kafka import KafkaException

        try:
            return make({"log_level": 3, **dict(self.given), **own})
        except (KafkaException, ValueError, TypeError) as problem:
            reason = problem.args[0].str() if hasattr(problem.args[0], "str") else str(problem)
            raise OptionError(
                f"holdsfor-kafka: an option kafka.… is not one of librdkafka's properties: {reason}"
            ) from None

    @property
    def sees_uncommitted(self) -> bool:
        """Whether messages of open transactions count. They do in Spark's own connector."""
        return dict(self.given).get("isolation.level", "read_uncommitted") != "read_committed"


@dataclass(frozen=True)
class Topics:
    """The selected partitions: by topic name, by pattern, or individually."""

    names: tuple[str, ...] = ()
    pattern: str | None = None
    places: tuple[Partition, ...] = ()

    @staticmethod
    def of(options: Options) -> Topics:
        """Reads the options."""
        options.refuse_together("subscribe", "subscribePattern", "assign")
        pattern, assigned = options.text("subscribePattern"), options.text("assign")
        if assigned is not None:
            wanted = offsets_by_topic(options, "assign", assigned, list)
            return Topics(places=tuple(Partition(topic, int(number)) for topic in wanted for number in wanted[topic]))
        if pattern is not None:
            try:
                re.compile(pattern)
            except re.error:
                raise options.wrong("subscribePattern", pattern, "a regular expression") from None
            return Topics(pattern=pattern)
        names = options.names("subscribe")
        if not names:
            raise OptionError(
                f"{options.source}: one of the options 'subscribe', 'subscribePattern' and 'assign' is missing"
            )
        return Topics(names)

    def among(self, known: Mapping[str, Iterable[int]]) -> list[Partition]:
        """The selected ones among the existing partitions."""
        if self.places:
            return [place for place in self.places if place.partition in set(known.get(place.topic, ()))]
        topics = [name for name in known if re.fullmatch(self.pattern, name)] if self.pattern else self.names
        return [Partition(topic, number) for topic in sorted(set(topics)) for number in sorted(known.get(topic, ()))]


def offsets_by_topic(options: Options, name: str, text: str, kind: type) -> dict[str, Any]:
    """JSON such as {"topic": {"0": 23}}, or {"topic": [0, 1]}."""
    import json

    try:
        found = json.loads(text)
    except ValueError:
        found = None
    if not isinstance(found, dict) or not all(isinstance(value, kind) for value in found.values()):
        example = '{"topic":{"0":23,"1":-2}}' if kind is dict else '{"topic":[0,1]}'
        raise options.wrong(name, text, f"JSON such as {example}")
    return found


class Cluster:
    """A lazy connection for metadata queries, which is not sent to other processes."""

    def __init__(self, properties: Properties, seconds: float) -> None:
        self.properties = properties
        self.seconds = seconds

    def __getstate__(self) -> dict[str, Any]:
        return {"properties": self.properties, "seconds": self.seconds}

    @cached_property
    def _admin(self) -> AdminClient:
        from confluent_kafka.admin import AdminClient

        own = {"isolation.level"}
        properties = Properties(tuple((name, value) for name, value in self.properties.given if name not in own))
        made: AdminClient = properties.client(AdminClient)
        return made

    def partitions(self, topics: Topics) -> list[Partition]:
        """The selected partitions; an error if there are none."""
        from confluent_kafka import KafkaException

        try:
            known = self._admin.list_topics(timeout=self.seconds).topics
        except KafkaException as problem:
            servers = dict(self.properties.given)["bootstrap.servers"]
            raise ConnectorError(f"holdsfor-kafka: cannot reach {servers}: {problem.args[0].str()}") from None
        found = topics.among({name: topic.partitions for name, topic in known.items()})
        missing = {*topics.names, *(place.topic for place in topics.places)} - {place.topic for place in found}
        if missing or not found:
            what = ", ".join(sorted(missing)) or f"that fits {topics.pattern}"
            raise ConnectorError(f"holdsfor-kafka: there is no topic {what}")
        return found

    def offsets(self, places: Iterable[Partition], when: When) -> Offsets:
        """The offset of the first message, of the next new message, or of the first message at or after a time."""
        from confluent_kafka import IsolationLevel, KafkaException, TopicPartition
        from confluent_kafka.admin import OffsetSpec

        match when:
            case "earliest":
                spec = OffsetSpec.earliest()
            case "latest":
                spec = OffsetSpec.latest()
            case datetime():
                spec = OffsetSpec.for_timestamp(int(when.timestamp() * 1000))
        seen = IsolationLevel.READ_UNCOMMITTED if self.properties.sees_uncommitted else IsolationLevel.READ_COMMITTED
        requests = {TopicPartition(*place): spec for place in places}
        if not requests:
            return {}
        answers = self._admin.list_offsets(requests, isolation_level=seen, request_timeout=self.seconds)
        try:
            return {Partition(one.topic, one.partition): int(answer.result().offset) for one, answer in answers.items()}
        except KafkaException as problem:
            raise ConnectorError(f"holdsfor-kafka: the offsets are not available: {problem.args[0].str()}") from None
