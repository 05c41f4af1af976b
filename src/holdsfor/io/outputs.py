"""Writes output files atomically: to a temporary name in the same place, renamed at the end."""

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
    """A new file that replaces an old one when it is complete; problems are raised as HoldsforError with the reason.

    An interruption leaves no file behind and adds a note about this to the exception. With `kept_on_error`, a
    HoldsforError does not discard the file, as for malformed rows. Pipes and devices are written directly.
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
        # Other errors may come from other work that the caller does while the file is open.
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
