"""Encodes a plan as bytes and computes its fingerprint.

The bytes contain, in order: a mark, the fingerprint, the number of words and of texts, the words (see `codec`), the
length of each text, and the texts. The fingerprint covers the meaning of the plan only, so equal plans have equal
fingerprints. Parts that exist for reading do not count: variable names, lines, and the reasons for retention.
"""

from __future__ import annotations

import hashlib
import struct

from holdsfor.garbage import no_garbage_collection
from holdsfor.physical.codec import PlanWriter, Reader, codec
from holdsfor.physical.instructions import Site
from holdsfor.physical.model import PhysicalPlan

MARK = b"hfplan\x00\x07"
"""The first bytes of an encoded plan. The last of them is the version of the format."""
_HEAD = len(MARK) + 32


class Encoder:
    """Encodes a plan; `sites` are the source positions, by number."""

    def __init__(self) -> None:
        self.sites: list[Site] = []

    def encode(self, plan: PhysicalPlan) -> bytes:
        """The plan as bytes."""
        with no_garbage_collection():
            writer = PlanWriter()
            codec(PhysicalPlan).write(plan, writer)
            self.sites = writer.sites
            return MARK + fingerprint(plan) + _packed(writer)


def to_bytes(plan: PhysicalPlan) -> bytes:
    """The plan as bytes; `from_bytes` gives an equal one."""
    return Encoder().encode(plan)


def fingerprint(plan: PhysicalPlan) -> bytes:
    """A digest of 32 bytes: equal for plans with the same meaning, different for others."""
    writer = PlanWriter(meaning_only=True)
    codec(PhysicalPlan).write(plan, writer)
    return hashlib.sha256(_packed(writer)).digest()


def from_bytes(data: bytes) -> PhysicalPlan:
    """Decodes a plan; raises ValueError with a reason if the bytes are not a plan."""
    if data[: len(MARK)] != MARK:
        raise ValueError("this is not a plan, or is one of another version of holdsfor")
    words, texts = _unpacked(data)
    reader = Reader(words, texts)
    found = codec(PhysicalPlan).read(reader)
    if not reader.is_at_end:
        raise ValueError("this is no plan: something follows it")
    assert isinstance(found, PhysicalPlan)
    if fingerprint(found) != data[len(MARK) : _HEAD]:
        raise ValueError("this plan was changed after it was written: its fingerprint is another one")
    return found


def _packed(writer: PlanWriter) -> bytes:
    texts = [text.encode("utf-8", "surrogatepass") for text in writer.texts]
    head = struct.pack("<qq", len(writer.words), len(texts))
    lengths = struct.pack(f"<{len(texts)}q", *map(len, texts))
    return head + struct.pack(f"<{len(writer.words)}q", *writer.words) + lengths + b"".join(texts)


def _unpacked(data: bytes) -> tuple[tuple[int, ...], list[str]]:
    try:
        count, texts = struct.unpack_from("<qq", data, _HEAD)
        if not (0 <= count <= len(data) // 8 and 0 <= texts <= len(data) // 8):
            raise ValueError("this is no plan: a length is too large")
        words = struct.unpack_from(f"<{count}q", data, _HEAD + 16)
        lengths = struct.unpack_from(f"<{texts}q", data, _HEAD + 16 + 8 * count)
    except struct.error:
        raise ValueError("this is no plan: it ends too early") from None
    at = _HEAD + 16 + 8 * (count + texts)
    found = []
    for length in lengths:
        if not 0 <= length <= len(data) - at:
            raise ValueError("this is no plan: a text ends too early")
        found.append(data[at : at + length].decode("utf-8", "surrogatepass"))
        at += length
    if at != len(data):
        raise ValueError("this is no plan: something follows it")
    return words, found
