"""No bytes make the core crash: it refuses what is no plan, and runs what is one."""

from __future__ import annotations

import subprocess
import sys

import pytest

from holdsfor.core.host import Host
from tests.core.building import ROOT, built_core


def _fuzz(count: int, seed: int) -> None:
    built_core()
    command = [sys.executable, "-m", "tests.core.fuzz_plans", str(count), str(seed)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=1_800)
    assert done.returncode == 0, (seed, done.returncode, done.stderr[-2000:])
    refused, run = (int(word) for word in done.stdout.split() if word.isdigit())
    assert refused and run


def test_changed_plans_do_not_crash() -> None:
    _fuzz(5_000, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 8))
def test_changed_plans_do_not_crash_at_length(seed: int) -> None:
    _fuzz(50_000, seed)


@pytest.mark.parametrize("data", [b"", b"hfplan", b"hfplan\x00\x01" + bytes(48), b"hfplan\x00\x03" + bytes(48)])
def test_what_is_no_plan_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="this is no plan"):
        built_core().Core(data, Host((), [], {}))
