"""The commit of a batch: a small file that marks it as done and names its files."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Protocol, Self, TypeVar

from holdsfor.diagnostics import HoldsforError
from holdsfor.spark.streaming.chain import Ledger, Link, add_link, link_before, newest_link
from holdsfor.spark.streaming.clock import Clock
from holdsfor.spark.streaming.state import Place
from holdsfor.spark.streaming.store import Store


@dataclass(frozen=True)
class Commit:
    """A batch that is done.

    `places` says where the states of buckets are, by stage and bucket, `rows` are the batches whose input has not been seen
    by a query time yet, each with the buckets it is for.
    """

    batch: int
    settings: Mapping[str, Any]
    clock: Clock = field(default_factory=Clock)
    places: Mapping[str, Place] = field(default_factory=dict)
    rows: Mapping[int, list[int]] = field(default_factory=dict)
    slots: Mapping[int, int] = field(default_factory=dict)
    """The folder of each batch that is needed, where Spark keeps the state."""
    reached: Mapping[str, list[int] | None] = field(default_factory=dict)
    """There: which parts of states the rows that wait reach, by stage and bucket; None is all."""
    link: Link | None = None
    """Where it is in the chain; None if there is no commit yet."""

    def data(self) -> dict[str, Any]:
        """The commit, to be written down."""
        return asdict(replace(self, link=None))

    @classmethod
    def of(cls, link: Link) -> Commit:
        """The commit that was written down."""
        found = link.content
        rows = {int(batch): buckets for batch, buckets in found["rows"].items()}
        places = {name: Place(**place) for name, place in found["places"].items()}
        # Commits of the version before have no slots.
        slots = {int(batch): slot for batch, slot in found.get("slots", {}).items()}
        return cls(
            link.batch, found["settings"], Clock(**found["clock"]), places, rows, slots, found.get("reached", {}), link
        )

    @property
    def needed(self) -> set[int]:
        """The batches whose files it is about."""
        return {self.batch, *self.rows, *(batch for place in self.places.values() for batch in place.batches)}

    @property
    def sizes(self) -> dict[str, Any]:
        """How large the states of all buckets are."""
        found = [place.sizes for place in self.places.values()]
        names = {"intervals": "shown", "state_rows": "rows", "state_bytes": "bytes", "keys_held": "keys"}
        return {name: sum(sizes[counted] for sizes in found) for name, counted in names.items()}


class AnyCommit(Protocol):
    """What commits of all kinds of streams have in common."""

    def __init__(self, batch: int, settings: Mapping[str, Any]) -> None: ...

    @classmethod
    def of(cls, link: Link) -> Self:
        """The commit that was written down."""

    @property
    def batch(self) -> int:
        """The batch that is done."""

    @property
    def settings(self) -> Mapping[str, Any]:
        """What the run was begun with."""

    @property
    def link(self) -> Link | None:
        """Where it is in the chain."""

    @property
    def needed(self) -> set[int]:
        """The batches whose files it is about."""

    def data(self) -> dict[str, Any]:
        """The commit, to be written down."""


C = TypeVar("C", bound=AnyCommit)


def last_commit(store: Ledger, settings: Mapping[str, Any], below: int | None = None) -> Commit:
    """The last batch that is done, or the one before `below`; an empty commit if there is none."""
    return last_of(Commit, store, settings, below, free=("buckets",))


def last_of(
    kind: type[C], store: Ledger, settings: Mapping[str, Any], below: int | None, free: Collection[str] = ()
) -> C:
    """The last commit of a kind, or the one before `below`; an empty commit if there is none. `free` are settings that a
    run may go on with another of.
    """
    link = newest_link(store) if below is None else link_before(store, below)
    if link is None:
        return kind(-(2**62), settings)
    found = kind.of(link)
    check_settings(found.settings, {name: value for name, value in settings.items() if name not in free}, store)
    return found


def check_settings(found: Mapping[str, Any], wanted: Mapping[str, Any], store: Ledger) -> None:
    """Complain if a run goes on with other settings than it was begun with."""
    place = store.root.removesuffix("/holdsfor")
    rest = "go on with the same, or begin with a new checkpoint"
    for name, value in wanted.items():
        was = found.get(name)
        if was == value:
            continue
        if name == "rules":
            raise HoldsforError(f"the checkpoint at {place} is that of other rules: {rest}")
        raise HoldsforError(
            f"the checkpoint at {place} was made with {name} {_shown(was)}, not {_shown(value)}: {rest}"
        )


def _shown(setting: Any) -> str:
    if isinstance(setting, list):
        return ", ".join(setting) or "none"
    if isinstance(setting, bool):
        return "on" if setting else "off"
    return "not given" if setting is None else str(setting)


def write_commit(store: Store, commit: AnyCommit, before: AnyCommit) -> None:
    """Say that a batch is done, and delete what nobody needs any more.

    It may have to be run again, from the commit before it.
    """
    add_link(store, commit.batch, commit.data(), before.link)
    needed = commit.needed | before.needed
    store.drop([batch for batch in store.batches() if batch < commit.batch and batch not in needed])
