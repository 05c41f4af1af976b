"""The commit of a batch: a small file that marks the batch as completed and lists its files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol, Self, TypeVar

from holdsfor.diagnostics import HoldsforError
from holdsfor.spark.streaming.chain import Ledger, Link, add_link, link_before, newest_link
from holdsfor.spark.streaming.clock import Clock
from holdsfor.spark.streaming.state import Place
from holdsfor.spark.streaming.store import Store
from holdsfor.spark.streaming.unreported_swap import UnreportedSwap


@dataclass(frozen=True)
class Commit:
    """A completed batch.

    `places` are the positions of the states of buckets, by stage and bucket. `rows` are the batches whose input no
    query time has seen yet, each with its buckets.
    """

    batch: int
    settings: Mapping[str, Any]
    clock: Clock = field(default_factory=Clock)
    places: Mapping[str, Place] = field(default_factory=dict)
    rows: Mapping[int, list[int]] = field(default_factory=dict)
    slots: Mapping[int, int] = field(default_factory=dict)
    """The folder of each needed batch, if Spark stores the state."""
    reached: Mapping[str, list[int] | None] = field(default_factory=dict)
    """In that case, the parts of states that waiting rows affect, by stage and bucket; None is all."""
    unreported_swap: UnreportedSwap | None = None
    """A swap of rules whose differences no query time has reported yet."""
    link: Link | None = None
    """The position in the chain; None if there is no commit yet."""

    def data(self) -> dict[str, Any]:
        """The serialised commit."""
        return asdict(replace(self, link=None))

    @classmethod
    def of(cls, link: Link) -> Commit:
        """Reads a commit."""
        found = link.content
        rows = {int(batch): buckets for batch, buckets in found["rows"].items()}
        places = {name: Place(**place) for name, place in found["places"].items()}
        # Commits of the previous version have no slots.
        slots = {int(batch): slot for batch, slot in found.get("slots", {}).items()}
        unreported_swap = None if found.get("unreported_swap") is None else UnreportedSwap(**found["unreported_swap"])
        return cls(
            link.batch,
            found["settings"],
            Clock.of(found["clock"]),
            places,
            rows,
            slots,
            found.get("reached", {}),
            unreported_swap,
            link,
        )

    @property
    def needed(self) -> set[int]:
        """The batches whose files the commit needs."""
        return {self.batch, *self.rows, *(batch for place in self.places.values() for batch in place.batches)}

    @property
    def sizes(self) -> dict[str, Any]:
        """The sizes of the states of all buckets."""
        found = [place.sizes for place in self.places.values()]
        names = {"intervals": "shown", "state_rows": "rows", "state_bytes": "bytes", "keys_held": "keys"}
        return {name: sum(sizes[counted] for sizes in found) for name, counted in names.items()}


class AnyCommit(Protocol):
    """The common interface of commits of all kinds of streams."""

    def __init__(self, batch: int, settings: Mapping[str, Any]) -> None: ...

    @classmethod
    def of(cls, link: Link) -> Self:
        """Reads a commit."""

    @property
    def batch(self) -> int:
        """The completed batch."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """The settings of the run."""

    @property
    def link(self) -> Link | None:
        """The position in the chain."""

    @property
    def needed(self) -> set[int]:
        """The batches whose files the commit needs."""

    def data(self) -> dict[str, Any]:
        """The serialised commit."""


C = TypeVar("C", bound=AnyCommit)


def last_commit(
    store: Ledger, settings: Mapping[str, Any], below: int | None = None, earlier: str | None = None
) -> Commit:
    """The last completed batch, or the last one before `below`; an empty commit if there is none.

    `earlier` are rules that the commit may have, too, because they are being changed.
    """
    found = last_of(Commit, store, {}, below)
    if found.link is None:
        return replace(found, settings=settings)
    wanted = {name: value for name, value in settings.items() if name != "buckets"}
    if earlier is not None and found.settings["rules"] == earlier != wanted["rules"]:
        # Which fluents are reported follows from the rules in part, and is looked at separately.
        wanted = {name: value for name, value in wanted.items() if name not in ("rules", "fluents")}
    check_settings(found.settings, wanted, store, _OTHER_RULES)
    return found


_OTHER_RULES = "go on with the same, name those with swap (--swap) to change them, or begin with a new checkpoint"


def last_of(kind: type[C], store: Ledger, settings: Mapping[str, Any], below: int | None) -> C:
    """The last commit of a kind, or the last one before `below`; an empty commit if there is none."""
    link = newest_link(store) if below is None else link_before(store, below)
    if link is None:
        return kind(-(2**62), settings)
    found = kind.of(link)
    check_settings(found.settings, settings, store)
    return found


_SAME = "go on with the same, or begin with a new checkpoint"


def check_settings(
    found: Mapping[str, Any], wanted: Mapping[str, Any], store: Ledger, other_rules: str = _SAME
) -> None:
    """Reports settings that differ from those at the start of the run; `other_rules` says what to do about rules."""
    place = store.root.removesuffix("/holdsfor")
    for name, value in wanted.items():
        was = found.get(name)
        if was == value:
            continue
        if name == "rules":
            raise HoldsforError(f"the checkpoint at {place} is that of other rules: {other_rules}")
        raise HoldsforError(
            f"the checkpoint at {place} was made with {name} {_shown(was)}, not {_shown(value)}: {_SAME}"
        )


def _shown(setting: Any) -> str:
    if isinstance(setting, list):
        return ", ".join(setting) or "none"
    if isinstance(setting, bool):
        return "on" if setting else "off"
    return "not given" if setting is None else str(setting)


def write_commit(store: Store, commit: AnyCommit, before: AnyCommit) -> None:
    """Commits a batch, and deletes files that are no longer needed.

    The batch may have to be repeated, so the files of the commit before it are kept.
    """
    add_link(store, commit.batch, commit.data(), before.link)
    needed = commit.needed | before.needed
    store.drop([batch for batch in store.batches() if batch < commit.batch and batch not in needed])
