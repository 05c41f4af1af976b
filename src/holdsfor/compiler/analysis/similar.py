"""Finds the known name that a misspelt name was probably meant to be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from functools import cached_property

_MANY = 200
"""Among more names than this, only names with a single edit are considered."""


class Similar:
    """Known names, searchable by similarity."""

    def __init__(self, known: Iterable[str]) -> None:
        self._known = list(dict.fromkeys(known))

    def to(self, name: str, cutoff: float = 0.7) -> str | None:
        """The most similar known name, never the name itself.

        >>> Similar(["happensAt", "holdsAt"]).to("happenAt"), Similar(["turn"]).to("trun")
        ('happensAt', 'turn')
        """
        found = self._by_case.get(name.lower(), name)
        if found != name:
            return found
        slip = next(
            (other for form in _shortened(name) for other in self._by_form.get(form, ()) if other != name), None
        )
        if slip is not None or len(self._known) > _MANY:
            return slip
        close = get_close_matches(name, [other for other in self._known if other != name], 1, cutoff)
        return close[0] if close else None

    @cached_property
    def _by_case(self) -> dict[str, str]:
        return {name.lower(): name for name in self._known}

    @cached_property
    def _by_form(self) -> dict[str, list[str]]:
        """Names by the result of deleting one letter, because two names with a single edit share such a result."""
        found: dict[str, list[str]] = {}
        for name in self._known:
            for form in _shortened(name):
                found.setdefault(form, []).append(name)
        return found


def _shortened(name: str) -> Iterator[str]:
    """A name, and all results of deleting one letter. Short names are too similar to each other."""
    if len(name) >= 4:
        yield name
        yield from dict.fromkeys(name[:index] + name[index + 1 :] for index in range(len(name)))


def suggest(name: str, known: Iterable[str], cutoff: float = 0.7) -> str | None:
    """The most similar known name.

    >>> suggest("happenAt", ["happensAt", "holdsAt"])
    'happensAt'
    """
    return Similar(known).to(name, cutoff)


def without_digits(name: str) -> str:
    """A name without its digits. Numbered names such as `zone1` and `zone2` differ on purpose."""
    return "".join(char for char in name if not char.isdigit())
