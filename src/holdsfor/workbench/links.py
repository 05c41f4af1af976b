"""Links that carry rules and events: a bundle of small files, compressed into the part behind `#` of an address.

Browsers never send that part of an address, so the content of a link reaches no server and no log.
"""

from __future__ import annotations

import base64
import binascii
import re
import zlib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, Field, ValidationError

from holdsfor.diagnostics import HoldsforError, Source
from holdsfor.frontend.rtec.files import may_load_files, named_files
from holdsfor.io.sources import opened
from holdsfor.loading import METRIC_FILES, read_source
from holdsfor.syntax.parser import parse

LONGEST = 32_000
"""The most characters of a link. Some programs truncate longer links, and some browsers refuse them."""
_LARGEST = 4_000_000
"""The most bytes of all files of a link, unpacked: a small link must not fill the memory."""
_VERSION = "1."
_PLAIN_NAME = re.compile(r"\w[\w .,+@()-]{0,99}")
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst")


def _plain(name: str) -> str:
    if not all(_PLAIN_NAME.fullmatch(part) for part in name.split("=")):
        raise ValueError(f"{name!r} is not the name of a file")
    return name


Name = Annotated[str, AfterValidator(_plain)]
Files = Annotated[dict[Name, str], Field(max_length=40)]


class Bundle(BaseModel):
    """Small files by name, and the options of their runs."""

    rules: Annotated[Files, Field(min_length=1)]
    loaded: Files = {}
    events: Files = {}
    background: Files = {}
    mapping: str | None = None
    unit: str | None = None
    window: str = ""
    step: str = ""


def packed(bundle: Bundle) -> str:
    """A bundle as part of an address; HoldsforError if that would be too long."""
    raw = bundle.model_dump_json(exclude_defaults=True).encode("utf-8")
    text = _VERSION + base64.urlsafe_b64encode(zlib.compress(raw, 9)).decode("ascii").rstrip("=")
    if len(text) > LONGEST:
        raise HoldsforError(
            f"rules and events are too large for a link: it would have {len(text):,} characters, and {LONGEST:,} are the "
            "most that browsers and mail programs pass on safely; start the page with fewer events, or send the files"
        )
    return text


def unpacked(text: str) -> Bundle:
    """The bundle of a link, which is not trusted; raises HoldsforError if the link is invalid."""
    if len(text) > LONGEST:
        raise HoldsforError(f"that link is too long: at most {LONGEST:,} characters are accepted")
    if not text.startswith(_VERSION):
        raise HoldsforError("this is not a link of a workbench, or is one of a newer version of holdsfor")
    try:
        body = text.removeprefix(_VERSION)
        raw = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
        unpacking = zlib.decompressobj()
        found = unpacking.decompress(raw, _LARGEST)
        if unpacking.unconsumed_tail or not unpacking.eof:
            raise HoldsforError("that link is damaged, or carries more than a link may; ask for it again")
        return Bundle.model_validate_json(found)
    except (binascii.Error, zlib.error, ValidationError) as problem:
        raise HoldsforError("that link is damaged: perhaps its end was cut off; ask for it again") from problem


# Bundles of desks


def bundle_of(
    texts: Mapping[Path, str],
    events: Iterable[Path],
    background: Iterable[Path],
    mapping: Path | None,
    options: Mapping[str, str | None],
) -> Bundle:
    """The rules of a page, and the input files of their runs."""
    names: set[str] = set()
    given = {name: value for name, value in options.items() if value}
    return Bundle(
        rules={_unique(path.name, names): text for path, text in texts.items()},
        loaded=_loaded(texts),
        events=_texts(events, names),
        background=_texts(background, names),
        mapping=None if mapping is None else _text(mapping),
        **given,
    )


def _loaded(texts: Mapping[Path, str]) -> dict[str, str]:
    """The files that rules load, and what those load."""
    found: dict[str, str] = {}
    waiting = [Source(str(path), text) for path, text in texts.items() if not path.name.endswith(METRIC_FILES)]
    while waiting:
        source = waiting.pop()
        folder = Path(source.name).absolute().parent
        for _, path in named_files(parse(source)) if may_load_files(source.text) else ():
            if path in texts or path.name in found:
                continue
            if path.absolute().parent != folder:
                raise HoldsforError(f"a link cannot carry {path}, which {source.name} loads: it lies in another folder")
            found[path.name] = _text(path)
            waiting.append(read_source(path))
    return found


def _texts(paths: Iterable[Path], names: set[str]) -> dict[str, str]:
    found = {}
    for given in paths:
        # A table of facts may have a name before its file: `tier=customers.csv`.
        name, equals, path = ("", "", str(given)) if given.exists() else str(given).rpartition("=")
        shown = Path(path).name
        for ending in _COMPRESSED:
            shown = shown.removesuffix(ending)
        found[_unique(f"{name}{equals}{shown}", names)] = _text(Path(path))
    return found


def _unique(name: str, names: set[str]) -> str:
    """A valid file name that no other file of the bundle has."""
    plain = re.sub(r"[^\w .,+=@()-]", "_", name).lstrip(" .,+=@()-") or "file"
    found, number = plain, 1
    while found in names:
        number += 1
        found = f"{number}_{plain}"
    names.add(found)
    return found


def _text(path: Path) -> str:
    if not path.is_file():
        raise HoldsforError(f"a link cannot carry {path}: it is not a file")
    with opened(path) as file:
        raw = file.read(_LARGEST + 1)
    if len(raw) > _LARGEST:
        raise HoldsforError(f"{path} is too large for a link; start the page with fewer events, or send the files")
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise HoldsforError(f"a link cannot carry {path}: it is not text") from None
