"""Parses simple command lines without Typer, which takes longer than a run on a small file: it builds a validator for
every option of a command, and imports what validators need.

The options are those that the command declares for Typer. Typer handles everything else: help, mistakes and invalid
values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from pathlib import Path
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

from typer.models import ArgumentInfo, OptionInfo


def _whole(text: str) -> int:
    if not (text.isascii() and text.isdecimal()):
        raise ValueError(text)
    return int(text)


_PLAIN: dict[Any, Callable[[str], Any]] = {str: str, Path: Path, int: _whole}


class _NotPlainError(Exception):
    """The command line needs Typer."""


def plain_arguments(command: Callable[..., None], words: Sequence[str]) -> dict[str, Any] | None:
    """The given arguments of a command; None if the command line is not plain."""
    try:
        return _read(_parameters(command), words)
    except _NotPlainError:
        return None


class _Parameter:
    """A parameter of a command: its words, and the conversion of its value."""

    def __init__(self, name: str, hint: Any) -> None:
        kind, info = get_args(hint)
        assert isinstance(info, ArgumentInfo | OptionInfo)
        if info.callback or info.envvar or info.exists or info.max is not None:
            raise _NotPlainError
        if isinstance(kind, UnionType):
            kind = next(one for one in get_args(kind) if one is not type(None))
        self.name, self._info = name, info
        self.is_argument = isinstance(info, ArgumentInfo)
        self.is_list = get_origin(kind) is list
        self.is_flag = kind is bool
        self._kind = get_args(kind)[0] if self.is_list else kind
        # The first word of an annotation stands where a default would stand otherwise.
        declared = [word for word in (info.default, *(info.param_decls or ())) if str(word).startswith("-")]
        self.words = declared or [f"--{name.replace('_', '-')}"]

    def value(self, text: str) -> Any:
        """The value of a text."""
        make = self._info.parser or _PLAIN.get(self._kind)
        if make is None and isinstance(self._kind, type) and issubclass(self._kind, Enum):
            make = self._kind
        if make is None:
            raise _NotPlainError
        try:
            found = make(text)
        except Exception:  # noqa: BLE001 -- Typer reports the error
            raise _NotPlainError from None
        if self._info.min is not None and found < self._info.min:
            raise _NotPlainError
        return found


def _parameters(command: Callable[..., None]) -> list[_Parameter]:
    hints = get_type_hints(command, include_extras=True)
    return [_Parameter(name, hint) for name, hint in hints.items() if name != "return"]


def _read(parameters: list[_Parameter], words: Sequence[str]) -> dict[str, Any]:
    (argument,) = (one for one in parameters if one.is_argument)
    by_word = {word: one for one in parameters if not one.is_argument for word in one.words}
    found: dict[str, Any] = {argument.name: []}
    rest = iter(words)
    for word in rest:
        name, has_value, text = word.partition("=") if word.startswith("--") else (word, "", "")
        one = by_word.get(name)
        if one is None:
            if word.startswith("-"):
                raise _NotPlainError
            found[argument.name].append(argument.value(word))
        elif one.is_flag:
            if has_value:
                raise _NotPlainError
            found[one.name] = True
        else:
            value = text if has_value else next(rest, "--")
            if not has_value and value.startswith("-") and value != "-":
                raise _NotPlainError
            _give(found, one, one.value(value))
    if not found[argument.name]:
        raise _NotPlainError
    return found


def _give(found: dict[str, Any], one: _Parameter, value: Any) -> None:
    if one.is_list:
        found.setdefault(one.name, []).append(value)
    elif one.name in found:
        raise _NotPlainError
    else:
        found[one.name] = value
