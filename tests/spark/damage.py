"""Damage to the files of a checkpoint, of the kinds that disks, people and backups do."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

Damage = Callable[[Path, random.Random], bool]
"""Does damage to a file; whether there was anything to do."""


def flip(path: Path, rng: random.Random) -> bool:
    """One bit of one byte is another."""
    data = bytearray(path.read_bytes())
    if not data:
        return False
    data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    path.write_bytes(data)
    return True


def zero(path: Path, rng: random.Random) -> bool:
    """A block of the disk is lost."""
    data = bytearray(path.read_bytes())
    begin = rng.randrange(max(1, len(data) - 4096 + 1))
    if not any(data[begin : begin + 4096]):
        return False
    data[begin : begin + 4096] = bytes(len(data[begin : begin + 4096]))
    path.write_bytes(data)
    return True


def cut(path: Path, rng: random.Random) -> bool:
    """The end of a file is missing."""
    data = path.read_bytes()
    if not data:
        return False
    path.write_bytes(data[: rng.randrange(len(data))])
    return True


def delete(path: Path, _: random.Random) -> bool:
    """A file is missing."""
    path.unlink()
    return True


def copy(path: Path, rng: random.Random) -> bool:
    """A file has the content of another of its kind."""
    root = (
        next(parent for parent in path.parents if parent.name == "holdsfor")
        if "holdsfor" in path.parts
        else path.parent
    )
    others = [other for other in root.rglob(f"*{path.suffix}") if other != path and other.is_file()]
    others = [other for other in others if other.read_bytes() != path.read_bytes()]
    if not others:
        return False
    shutil.copyfile(rng.choice(sorted(others)), path)
    return True


DAMAGES: tuple[Damage, ...] = (flip, zero, cut, delete, copy)
