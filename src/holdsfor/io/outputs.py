"""Output files that are whole or not there: written under another name beside the place, renamed at the end."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from holdsfor.diagnostics import HoldsforError


@contextmanager
def created(path: Path, *, kept_on_error: bool = False) -> Iterator[IO[bytes]]:
    """A new file that takes the place of an old one when all is written; trouble is a HoldsforError that says what it is.

    An interruption leaves no file behind and carries a note that says so. `kept_on_error`: a HoldsforError is no reason
    to lose it, as with the rows that could not be read. Pipes and devices are written as they are.
    """
    try:
        place = path.resolve()
        if place.exists() and not place.is_file():
            with place.open("wb") as file:
                yield file
            return
        unfinished = place.with_name(f".{place.name}.{os.getpid()}.unfinished")
        file = unfinished.open("wb")
    except OSError as problem:
        raise _cannot_write(path, problem) from problem
    try:
        with file:
            if place.exists():
                os.fchmod(file.fileno(), stat.S_IMODE(place.stat().st_mode))
            try:
                yield file
            except HoldsforError:
                if kept_on_error:
                    file.flush()
                    unfinished.replace(place)
                raise
        unfinished.replace(place)
    except KeyboardInterrupt as stop:
        stop.add_note(f"{path} was not written")
        raise
    except BrokenPipeError:
        raise
    except OSError as problem:
        raise _cannot_write(path, problem) from problem
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


def _cannot_write(path: Path, problem: OSError) -> HoldsforError:
    return HoldsforError(f"cannot write {path}: {problem.strerror or problem}")
