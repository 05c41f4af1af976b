"""Plans as bytes that are not whole."""

from __future__ import annotations

import struct

import pytest

from holdsfor.physical.encode import MARK
from tests.core.building import built_core


@pytest.mark.parametrize("words", [1, 2, 2**40, 2**62])
def test_plan_that_says_it_has_more_words_than_it_has(words: int) -> None:
    # One or two words more than there are were once read from behind the plan.
    with pytest.raises(ValueError, match="too early|too large"):
        built_core().Core(MARK + bytes(32) + struct.pack("<qq", words, 0), object())
