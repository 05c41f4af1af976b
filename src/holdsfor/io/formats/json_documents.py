"""Reads JSON documents: an array of objects, multi-line objects in sequence, or an array inside an object."""

from __future__ import annotations

import json
import re
from collections.abc import Generator, Iterator, Sequence
from pathlib import Path

import numpy as np

from holdsfor.diagnostics import HoldsforError
from holdsfor.io.formats.text_lines import TextLines
from holdsfor.io.nested import Step, steps_of
from holdsfor.io.sources import blocks, shown_name

_AT_ONCE = 20_000
_BREAK = re.compile(r"\s*[\r\n]\s*")
_BLANK = re.compile(r"[ \t\n\r]*")
_value = json.JSONDecoder().raw_decode


def document_rows(path: str | Path, rows: str | None) -> Iterator[TextLines]:
    """The objects of a document, each on one line and with the number of its first line in the file.

    `rows` is the path of the array that contains them, if the document contains more.
    """
    text = b"".join(blocks(path)).decode().rstrip()
    steps: Sequence[Step] = ()
    if rows is not None:
        found = steps_of(rows)
        if found is None:
            raise HoldsforError(f"rows = {rows!r} is not a path such as data.events")
        steps = found
    try:
        yield from _pieces(text, steps, f"{shown_name(path)} has no array {rows!r}")
    except json.JSONDecodeError as problem:
        where = f"{shown_name(path)}:{problem.lineno}:{problem.colno}"
        raise HoldsforError(f"{where}: not JSON: {problem.msg[0].lower()}{problem.msg[1:]}") from problem
    except RecursionError as problem:
        raise HoldsforError(f"{shown_name(path)}: the document is nested too deeply") from problem


def has_several_values(path: str | Path) -> bool:
    """Whether a document is a sequence of objects over several lines."""
    text = b"".join(blocks(path)).decode().strip()
    try:
        return bool(text) and _value(text)[1] < len(text)
    except (json.JSONDecodeError, RecursionError):
        return False


def _pieces(text: str, steps: Sequence[Step], missing: str) -> Iterator[TextLines]:
    texts: list[str] = []
    numbers: list[int] = []
    line, counted = 1, 0
    for begin, end in _spans(text, steps, missing):
        line, counted = line + text.count("\n", counted, begin), begin
        # In JSON text a line break is written \n. Others are only whitespace.
        texts.append(_BREAK.sub(" ", text[begin:end]))
        numbers.append(line)
        if len(texts) == _AT_ONCE:
            yield _lines(texts, numbers)
            texts, numbers = [], []
    if texts:
        yield _lines(texts, numbers)


def _lines(texts: list[str], numbers: list[int]) -> TextLines:
    return TextLines("".join(f"{text}\n" for text in texts).encode(), 0, np.array(numbers, np.int64))


def _spans(text: str, steps: Sequence[Step], missing: str) -> Iterator[tuple[int, int]]:
    """The start and end positions of the objects of a document."""
    at = _after_blank(text, 0)
    while at < len(text):
        if steps:
            inner = _place(text, at, steps)
            if inner is None:
                raise HoldsforError(missing)
            yield from _elements(text, inner)
            end = _value(text, at)[1]
        else:
            end = yield from _elements(text, at)
        at = _after_blank(text, end)


def _elements(text: str, at: int) -> Generator[tuple[int, int], None, int]:
    """The elements of an array and its end; another value counts as its own single element."""
    if text[at] != "[":
        end = _value(text, at)[1]
        yield at, end
        return end
    at = _after_blank(text, at + 1)
    while not text.startswith("]", at):
        end = _value(text, at)[1]
        yield at, end
        at = _after_separator(text, end, "]")
    return at + 1


def _place(text: str, at: int, steps: Sequence[Step]) -> int | None:
    """The start position of the value at the end of some path steps."""
    for step in steps:
        found = _member(text, at, step) if text[at] == "{" and isinstance(step, str) else None
        if text[at] == "[" and isinstance(step, int):
            found = next((begin for place, (begin, _) in enumerate(_elements(text, at)) if place == step), None)
        if found is None:
            return None
        at = found
    return at


def _member(text: str, at: int, name: str) -> int | None:
    at = _after_blank(text, at + 1)
    while not text.startswith("}", at):
        key, at = _value(text, at)
        at = _after_blank(text, at)
        if not isinstance(key, str) or not text.startswith(":", at):
            raise json.JSONDecodeError("Expecting ':' delimiter", text, at)
        at = _after_blank(text, at + 1)
        if key == name:
            return at
        at = _after_separator(text, _value(text, at)[1], "}")
    return None


def _after_separator(text: str, at: int, closing: str) -> int:
    at = _after_blank(text, at)
    if text.startswith(closing, at):
        return at
    if not text.startswith(",", at):
        wrong = "Expecting ',' delimiter" if at < len(text) else "The document ends too early"
        raise json.JSONDecodeError(wrong, text, at)
    return _after_blank(text, at + 1)


def _after_blank(text: str, at: int) -> int:
    found = _BLANK.match(text, at)
    return at if found is None else found.end()
