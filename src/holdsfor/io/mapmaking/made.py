"""Writes a mapping as text, with the guesses and their reasons in comments."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from holdsfor.columns.kernels import Ints
from holdsfor.compiler.analysis.entities import EntityKind
from holdsfor.diagnostics import HoldsforError
from holdsfor.io.formats.choice import format_of, known_format
from holdsfor.io.mapmaking.kind_guess import KindGuess, guess_kind
from holdsfor.io.mapmaking.sample import Sample, read_sample
from holdsfor.io.mapmaking.time_guess import TimeGuess, guess_arrival, guess_span, guess_time
from holdsfor.io.mapmaking.toml_text import comment, key, text
from holdsfor.io.mapmaking.wanted import RequiredInput, matched
from holdsfor.io.mapmaking.words import atom, likeness, same, words
from holdsfor.io.sources import STANDARD_INPUT, shown_name

_MOST_LISTED = 12
_MOST_GAPS = 10
"""At most one row in this many may lack a required value."""
_CALLED_SO = 4
"""The similarity of a column name to a variable with the same words."""
_VALUES = ("value", "state", "status", "level")


@dataclass(frozen=True)
class Made:
    """The text of a mapping, and a short summary."""

    text: str
    summary: tuple[str, ...]


def made_mapping(
    path: str | Path,
    given: str | Path,
    *,
    wanted: Sequence[RequiredInput] | None = None,
    rules: Sequence[str | Path] = (),
    unit: str | None = None,
    time: str | None = None,
    name: str | None = None,
    saved: str | Path = "mapping.toml",
    events: str | Path | None = None,
) -> Made:
    """Creates a mapping for a file that the user knows as `given`; the result is to be `saved` elsewhere. With rules,
    it covers what they read, in the unit that they declare. `time` and `name` are columns that need not be guessed. If
    there are more input files, `events` names all of them.
    """
    sample = read_sample(path, shown_name(given))
    when = guess_time(sample, unit, time)
    kinds = guess_kind(sample, when.path, wanted or (), name)
    maker = _Maker(sample, when, kinds, wanted, given, rules, unit, saved, events or given)
    entries = list(maker.entries())
    if not any(entry.is_usable for entry in entries):
        raise HoldsforError(maker.misfit())
    lines = [*maker.head(path), *(line for entry in entries for line in entry.lines), *maker.rest()]
    return Made("\n".join(lines).rstrip() + "\n", tuple(maker.summary(entries)))


@dataclass(frozen=True)
class _Made:
    """The lines of one entry; an unusable entry is a comment."""

    name: str
    lines: tuple[str, ...]
    is_usable: bool = True


@dataclass
class _Maker:
    sample: Sample
    when: TimeGuess
    kinds: KindGuess
    wanted: Sequence[RequiredInput] | None
    given: str | Path
    rules: Sequence[str | Path]
    declared: str | None
    saved: str | Path
    events: str | Path

    def head(self, path: str | Path) -> Iterator[str]:
        """The settings for all entries."""
        sample, shape = self.sample, self.sample.shape
        which = f"{'' if sample.is_whole else 'the first '}{_rows(sample.rows)}"
        yield comment(f"Which columns of {sample.name} are which event: a guess from {which}. Edit it, then:")
        options = [*(self.rules or ["rules.prolog"]), "--events", self.events, "--mapping", self.saved]
        yield comment(f"  {shlex.join(['holdsfor', 'run', *map(str, options)])}")
        yield ""
        is_known = str(self.given) != STANDARD_INPUT and known_format(self.given) is not None
        if not is_known or format_of(path) != shape.style:
            yield f"format = {text(shape.style)}"
        if shape.delimiter is not None:
            yield f"delimiter = {text(shape.delimiter)}"
        if shape.rows is not None:
            yield f"rows = {text(shape.rows)}  {comment('the array that has the rows')}"
        yield f"time = {text(self.when.path)}  {comment(self.when.why)}"
        yield self._unit()
        arrival = guess_arrival(sample, self.when.path, self.when.unit or "s")
        if arrival is not None:
            yield f"# arrival = {text(arrival)}  {comment('if late rows should count as late')}"
        if self.kinds.path is not None:
            yield f"name = {text(self.kinds.path)}  {comment(f'what a row is: {_listed(self.kinds.rows)}')}"

    def _unit(self) -> str:
        if self.declared is not None:
            return comment(f"the rules declare the unit of time: {self.declared}")
        if self.when.unit is None:
            return comment('unit = "s"  (s, ms, us, ns, min, h or d, if these numbers count from 1970)')
        return f"unit = {text(self.when.unit)}  {comment('what one time-point is')}"

    def entries(self) -> Iterator[_Made]:
        """An entry for each kind of rows that exists or that rules read."""
        names: list[str] = []
        if not self._known:
            for value, rows in self.kinds.rows.items():
                name = atom(value or self._stem(), names)
                names.append(name)
                yield self._event(name, value, self._columns(rows), rows)
            return
        for value, one in self._known.items():
            yield self._of_rules(one, value, self.kinds.rows[value])

    @cached_property
    def _known(self) -> dict[str, RequiredInput]:
        """The rule inputs that the rows of each kind correspond to."""
        if self.kinds.path is None:
            return {"": self._meant()} if self.wanted else {}
        found = matched(self.kinds.rows, self.wanted or ())
        return {value: found[value] for value in self.kinds.rows if value in found}

    def _meant(self) -> RequiredInput:
        """The input that all rows are, if no column gives a kind: by the file name, or by the best arguments."""
        wanted = self.wanted or ()
        called = [one for one in wanted if same(one.name, self._stem())]
        rows = self.kinds.rows[""]
        fitting = [one for one in called or wanted if len(one.arguments) <= len(self._candidates(one, rows))]
        return max(fitting or wanted, key=lambda one: _fit(one, self._candidates(one, rows)))

    def _stem(self) -> str:
        return "event" if str(self.given) == STANDARD_INPUT else Path(self.given).name.partition(".")[0]

    def _columns(self, rows: Ints) -> list[str]:
        """Columns that can be arguments and have a value in each of some rows."""
        special = {self.when.path, self.kinds.path}
        return [path for path in self.sample.paths if path not in special and self._is_full(path, rows)]

    def _is_full(self, path: str, rows: Ints) -> bool:
        return not self.sample.gaps(path)[rows].any() and self.sample.is_argument(path)

    def _candidates(self, one: RequiredInput, rows: Ints) -> list[str]:
        """Further candidates for arguments: columns named like a variable of the rules, or mostly without nulls."""
        full = self._columns(rows)
        called = [
            path
            for path in (*self.sample.paths, *self.sample.elements)
            if path not in (*full, self.when.path, self.kinds.path)
            and any(likeness(variable, path) >= _CALLED_SO for names in one.arguments for variable in names)
            and self.sample.is_argument(path)
            and self._gaps(path, rows) * _MOST_GAPS <= len(rows)
        ]
        return [*full, *called]

    def _gaps(self, path: str, rows: Ints) -> int:
        return int(self.sample.gaps(path)[rows].sum())

    def _of_rules(self, one: RequiredInput, value: str, rows: Ints) -> _Made:
        """The entry of an input that the rules read."""
        columns, extra = self._candidates(one, rows), []
        if one.kind is EntityKind.FLUENT:
            span = guess_span(self.sample, self.when.unit or "s")
            if span is not None:
                extra += [f"start = {text(span[0])}", f"end = {text(span[1])}"]
                columns = [path for path in columns if path not in span]
            held = next((path for path in columns if set(words(path)) & set(_VALUES)), None)
            if held is not None and set(one.values) != {"true"}:
                extra.append(f"value = {text(held)}")
                columns.remove(held)
        args = _assigned(one, columns)
        if args is None:
            message = f"{one} of the rules has more arguments than there are columns with a value in every row: "
            return _Made(one.name, ("", comment(message + (", ".join(columns) or "none"))), is_usable=False)
        return self._entry(one.kind, one.name, value, args, rows, extra)

    def _event(self, name: str, value: str, args: Sequence[str], rows: Ints) -> _Made:
        return self._entry(EntityKind.EVENT, name, value, args, rows, [])

    def _entry(
        self, kind: EntityKind, name: str, value: str, args: Sequence[str], rows: Ints, extra: Sequence[str]
    ) -> _Made:
        lines = ["", f"[{kind.value}.{key(name)}]  {comment(_rows(len(rows)))}", *extra]
        lines.append(f"args = [{', '.join(map(text, args))}]")
        if self.kinds.path is not None and value != name:
            lines.append(f"where = {{ {key(self.kinds.path)} = {text(value)} }}")
        lines += self._unused(args, rows, "".join(extra))
        return _Made(name, tuple(lines))

    def _unused(self, args: Sequence[str], rows: Ints, extra: str) -> Iterator[str]:
        """Columns that could be arguments, and those that are sometimes empty."""
        skipped = [f"{text(path)} ({gaps:,} of {len(rows):,})" for path in args if (gaps := self._gaps(path, rows))]
        if skipped:
            yield comment(f"rows without a value are skipped: {', '.join(skipped)}")
        special = {self.when.path, self.kinds.path, *args}
        free, gappy = [], []
        for path in self.sample.paths:
            if path in special or text(path) in extra:
                continue
            gaps = self._gaps(path, rows)
            if gaps == 0 and self.sample.is_argument(path):
                free.append(text(path))
            elif gaps < len(rows) and self.sample.is_argument(path):
                gappy.append(f"{text(path)} ({gaps:,} of {len(rows):,})")
        if free:
            yield comment(f"not used: {', '.join(free[:_MOST_LISTED])}")
        if gappy:
            yield comment(f"empty in some rows, which would be skipped: {', '.join(gappy[:_MOST_LISTED])}")

    def rest(self) -> Iterator[str]:
        """Further remarks."""
        found = []
        if self.sample.elements:
            found.append(f"Lists have elements: {_listed(map(text, self.sample.elements))}")
        if self.kinds.others:
            found.append(
                f"Columns with a small number of different values, if one of them has the kind of a row: {', '.join(self.kinds.others)}"
            )
        if self.wanted is not None:
            unread = [value for value in self.kinds.rows if value not in self._known]
            if unread:
                found.append(f"No rule reads {_listed(unread)}")
            missing = [str(one) for one in self.wanted if one not in self._known.values()]
            if missing:
                found.append(f"The rules also read {', '.join(missing)}, of which there are no rows here")
        if found:
            yield ""
            yield from map(comment, found)

    def summary(self, entries: Sequence[_Made]) -> Iterator[str]:
        """A summary of the guesses in a line or two."""
        names = [entry.name for entry in entries if entry.is_usable]
        yield f"time is {self.when.path} ({self.when.why}); {_listed(names)} from {_rows(self.sample.rows)}"
        if self.wanted is not None and not self._known:
            there = ", ".join(map(str, self.wanted)) or "nothing"
            yield f"none of this is what the rules read: {there}; give rows their names there with `where`"

    def misfit(self) -> str:
        """The reason why nothing in a file can be an input of the rules."""
        there = ", ".join(self._columns(next(iter(self.kinds.rows.values())))) or "none"
        read = ", ".join(map(str, self.wanted or ()))
        return f"{self.sample.name} has too few columns for what the rules read ({read}): {there}"


def _listed(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(listed[:_MOST_LISTED]) + (", …" if len(listed) > _MOST_LISTED else "")


def _rows(count: int) -> str:
    return f"{count:,} row{'' if count == 1 else 's'}"


def _fit(one: RequiredInput, columns: Sequence[str]) -> tuple[int, int]:
    args = _assigned(one, columns)
    if args is None:
        return -1, 0
    scores = [
        max((likeness(variable, path) for variable in names), default=0)
        for names, path in zip(one.arguments, args, strict=True)
    ]
    return sum(scores), len(args)


def _assigned(one: RequiredInput, columns: Sequence[str]) -> list[str] | None:
    """Assigns columns to arguments: similar names first, others in order; None if there are too few."""
    if len(columns) < len(one.arguments):
        return None
    pairs = [
        (max((likeness(variable, path) for variable in names), default=0), -place, -at, place, path)
        for place, names in enumerate(one.arguments)
        for at, path in enumerate(columns)
    ]
    found: dict[int, str] = {}
    for score, _, _, place, path in sorted(pairs, reverse=True):
        if score and place not in found and path not in found.values():
            found[place] = path
    rest = iter([path for path in columns if path not in found.values()])
    return [found[place] if place in found else next(rest) for place in range(len(one.arguments))]
