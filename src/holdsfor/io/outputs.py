"""Output files that are whole or not there: written under another name beside the place, renamed at the end."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from holdsfor.diagnostics import HoldsforError

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def created(path: Path, *, kept_on_error: bool = False) -> Iterator[IO[bytes]]:
    """A new file that takes the place of an old one when all is written; trouble is a HoldsforError that says what it is.

    An interruption leaves no file behind and carries a note that says so. `kept_on_error`: a HoldsforError is no reason
    to lose it, as with the rows that could not be read. Pipes and devices are written as they are.
    """
    place = path.resolve()
    is_special = place.exists() and not place.is_file()
    unfinished = place if is_special else place.with_name(f".{place.name}.{os.getpid()}.unfinished")
    try:
        file = unfinished.open("wb")
    except OSError as problem:
        raise _cannot_write(path, problem) from problem
    if is_special:
        with file:
            yield file
        return
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
    except OSError as problem:
        # Others may come from anywhere: whoever writes a file does much else meanwhile.
        if problem.errno in _FULL:
            raise _cannot_write(path, problem) from problem
        raise
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


def _cannot_write(path: Path, problem: OSError) -> HoldsforError:
    if isinstance(problem, FileNotFoundError) and not path.parent.exists():
        return HoldsforError(f"cannot write {path}: there is no folder {path.parent}; create it first")
    return HoldsforError(f"cannot write {path}: {problem.strerror or problem}")
