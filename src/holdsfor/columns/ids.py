"""Ids of intervals and derived events: hashes of their texts and times, the same in every process."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Words = npt.NDArray[np.uint64]

SEEDS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xC2B2AE3D27D4EB4F))
_DIGITS = np.frombuffer(b"0123456789abcdef", np.uint8)


def text_hashes(texts: Any, base: np.uint64) -> Words:
    """A hash of each text, vectorised: its bytes are the digits of a number."""
    if not len(texts):
        return np.empty(0, np.uint64)
    offsets = np.frombuffer(texts.buffers()[1], np.int32)[texts.offset : texts.offset + len(texts) + 1].astype(np.int64)
    data = texts.buffers()[2]
    digits = np.frombuffer(data, np.uint8)[offsets[0] : offsets[-1]] if data is not None else np.empty(0, np.uint8)
    sizes = np.diff(offsets)
    place = np.arange(len(digits)) - np.repeat(offsets[:-1] - offsets[0], sizes)
    powers = np.cumprod(np.full(int(sizes.max()) + 1, base))
    sums = np.concatenate(
        (np.zeros(1, np.uint64), np.cumsum((digits.astype(np.uint64) + np.uint64(1)) * powers[place]))
    )
    return mixed(sums[offsets[1:] - offsets[0]] - sums[offsets[:-1] - offsets[0]])


def mixed(words: Words) -> Words:
    """Mixes words, so that every bit depends on all others."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))


def hex_digits(words: Words) -> Any:
    """Words as a column of hexadecimal digits."""
    octets = words.astype(">u8").view(np.uint8).reshape(len(words), 8 * words.shape[1])
    letters = np.empty((len(words), octets.shape[1] * 2), np.uint8)
    letters[:, 0::2], letters[:, 1::2] = _DIGITS[octets >> 4], _DIGITS[octets & 15]
    offsets = np.arange(len(words) + 1, dtype=np.int32) * letters.shape[1]
    return pa.StringArray.from_buffers(len(words), pa.py_buffer(offsets), pa.py_buffer(letters))
