"""Panes one after the other that are seen as one: what goes on in a pane is told by the next one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from holdsfor.engine.kernels import Ints
from holdsfor.incremental.parts import Keys, Layers, Part, Tables, Wanted, Which, stacked, state_of
from holdsfor.incremental.sections import FINAL, NEW, Section


@dataclass(frozen=True)
class Sequel:
    """Panes one after the other that have become one. What goes on in a pane is told by the next one."""

    panes: tuple[tuple[int, Layers], ...]
    """Where each begins, and its layers. They do not change any more."""
    _told: dict[Section, Part] = field(default_factory=dict, compare=False)

    def all_of(self, section: Section) -> Part | None:
        """One table of results, of all keys: answers ask for it again and again."""
        if section not in self._told:
            found = [
                _told(section, part, following, is_first=number == 0)
                for number, (layers, following) in enumerate(self._with_ends())
                if (part := layers.all_of(section)) is not None
            ]
            told = [part for part in found if part is not None]
            if not told:
                return None
            self._told[section] = stacked(told)
        return self._told[section]

    def told(self, section: Section) -> Sequence[Ints] | None:
        """The columns of a table; None if there is nothing in it."""
        found = self.all_of(section)
        return found.columns if found is not None and len(found) else None

    def _with_ends(self) -> Iterator[tuple[Layers, int | None]]:
        """The layers of each pane, and where the next one begins."""
        begins = [begin for begin, _ in self.panes[1:]]
        yield from zip((layers for _, layers in self.panes), [*begins, None], strict=True)

    def select(self, which: Which, keys: Keys | None, wanted: Wanted | None) -> Tables:
        """Tables of some keys."""
        if which is state_of:
            return self.panes[-1][1].select(which, keys, wanted)
        found: dict[Section, list[Part]] = {}
        for number, (layers, following) in enumerate(self._with_ends()):
            for section, part in layers.select(which, keys, wanted).items():
                told = _told(section, part, following, is_first=number == 0)
                if told is not None:
                    found.setdefault(section, []).append(told)
        return {section: stacked(parts) for section, parts in found.items()}


def _told(section: Section, part: Part, following: int | None, *, is_first: bool) -> Part | None:
    """The results of a pane that it has to tell itself; the next one begins at `following`."""
    match section.kind:
        case "table" | "happened":
            need = (0 if is_first else NEW) | (0 if following is None else FINAL)
            return part.where((part.columns[-1] & need) == need)
        case "effects" | "conflict":
            # The last time-point of a pane is the first of the next.
            return part if following is None else part.where(part.columns[-1] < following)
        case _:
            return part if following is None else None
