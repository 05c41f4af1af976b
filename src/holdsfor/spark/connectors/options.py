"""Reads options of a data source: case-insensitive, validated, and named in every message."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from difflib import get_close_matches

from holdsfor.diagnostics import HoldsforError

# Spark adds these to the options of every streaming source or sink.
_SPARKS_OWN = frozenset({"checkpointlocation", "queryname"})


class OptionError(HoldsforError):
    """An option is missing, unknown, or has an invalid value."""


class Options:
    """The options from `.option(name, value)`. Unknown names are rejected, so that a typo does not select a default."""

    def __init__(self, source: str, given: Mapping[str, str], known: Iterable[str], prefix: str | None = None) -> None:
        self.source = source
        self._known = {name.lower(): name for name in known}
        self._given = {name.lower(): value for name, value in given.items()}
        for name in self._given:
            if name in self._known or name in _SPARKS_OWN or (prefix and name.startswith(prefix)):
                continue
            raise OptionError(self._unknown(name))

    def _unknown(self, name: str) -> str:
        near = get_close_matches(name, self._known, n=1)
        hint = f"did you mean {self._known[near[0]]!r}? " if near else ""
        return f"{self.source}: unknown option {name!r}; {hint}it takes {', '.join(sorted(self._known.values()))}"

    def text(self, name: str, default: str | None = None) -> str | None:
        """The unchanged value of an option; an empty value counts as missing."""
        return self._given.get(name.lower(), "").strip() or default

    def required(self, name: str) -> str:
        """The value of a required option."""
        value = self.text(name)
        if value is None:
            raise OptionError(f"{self.source}: option {name!r} is missing")
        return value

    def names(self, name: str) -> tuple[str, ...]:
        """A list of names, separated by commas."""
        return tuple(part.strip() for part in (self.text(name) or "").split(",") if part.strip())

    def whole(self, name: str, default: int | None = None, least: int = 1) -> int | None:
        """A whole number, not below `least`."""
        value = self.text(name)
        if value is None:
            return default
        try:
            number = int(value)
        except ValueError:
            number = least - 1
        if number < least:
            raise self.wrong(name, value, f"a whole number, {least} or more")
        return number

    def flag(self, name: str, *, default: bool) -> bool:
        """True or false."""
        value = self.text(name)
        if value is None:
            return default
        if value.lower() not in {"true", "false"}:
            raise self.wrong(name, value, "true or false")
        return value.lower() == "true"

    def choice(self, name: str, choices: tuple[str, ...], default: str) -> str:
        """One of some words."""
        value = self.text(name, default) or default
        if value.lower() not in choices:
            raise self.wrong(name, value, f"one of {', '.join(choices)}")
        return value.lower()

    def moment(self, name: str) -> datetime | None:
        """A time: milliseconds since 1970, or ISO 8601; UTC if there is no zone."""
        value = self.text(name)
        if value is None:
            return None
        try:
            if value.lstrip("-").isdigit():
                return datetime.fromtimestamp(int(value) / 1000, UTC)
            found = datetime.fromisoformat(value)
        except (ValueError, OverflowError, OSError):
            raise self.wrong(name, value, "milliseconds since 1970 or a time such as 2024-05-01T10:00:00Z") from None
        return found if found.tzinfo else found.replace(tzinfo=UTC)

    def after(self, prefix: str) -> dict[str, str]:
        """The options with a prefix, with the prefix removed from their names."""
        return {name[len(prefix) :]: value for name, value in self._given.items() if name.startswith(prefix)}

    def wrong(self, name: str, value: str, wanted: str) -> OptionError:
        """An error about the value of an option."""
        return OptionError(f"{self.source}: option {name!r} is {value!r}, but it must be {wanted}")

    def refuse_together(self, *names: str) -> None:
        """Rejects options that contradict each other."""
        found = [name for name in names if self.text(name) is not None]
        if len(found) > 1:
            raise OptionError(f"{self.source}: options {' and '.join(map(repr, found))} exclude each other")

    def refuse(self, *names: str, reason: str) -> None:
        """Rejects options that are invalid here."""
        for name in names:
            if self.text(name) is not None:
                raise OptionError(f"{self.source}: option {name!r} is not accepted here: {reason}")
