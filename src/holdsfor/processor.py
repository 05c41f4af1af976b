"""What NumPy has to be told about the processor before it is imported.

Its AVX-512 sort writes with an instruction that AMD's Zen 4 takes step by step: `sort` is five times slower than without
AVX-512, `argsort` two and a half. Much of recognition is sorting, so such processors do without.
"""

from __future__ import annotations

import os
import sys
from collections.abc import MutableMapping

VARIABLE = "NPY_DISABLE_CPU_FEATURES"
FEATURES = "X86_V4 AVX512_ICL AVX512_SPR"
"""NumPy's names for what it has written for AVX-512, from 2.4 on."""
_ZEN_4 = "25"
"""The family of processors; Zen 3 belongs to it too, and has no AVX-512."""


def let_numpy_sort_fast(environment: MutableMapping[str, str] = os.environ) -> None:
    """Set NumPy's own switch, unless NumPy is there already or somebody has set it."""
    if "numpy" not in sys.modules and VARIABLE not in environment and sorts_slowly_with_avx512(_about_processor()):
        environment[VARIABLE] = FEATURES


def _about_processor() -> str:
    """What Linux says about the first core; nothing on other systems."""
    try:
        # Without a Path: to import those takes longer than all that `import holdsfor` does.
        with open("/proc/cpuinfo", encoding="utf-8") as lines:  # noqa: PTH123
            return lines.read(4096).partition("\n\n")[0]
    except OSError:
        return ""


def sorts_slowly_with_avx512(about: str) -> bool:
    """Whether a description of a core, a line each, is of Zen 4.

    >>> sorts_slowly_with_avx512("vendor_id : AuthenticAMD\\ncpu family : 25\\nflags : sse2 avx2 avx512f")
    True
    >>> sorts_slowly_with_avx512("vendor_id : GenuineIntel\\ncpu family : 6\\nflags : sse2 avx2 avx512f")
    False
    """
    fields = (line.partition(":") for line in about.splitlines())
    known = {name.strip(): value.strip() for name, _, value in fields}
    is_family = known.get("vendor_id") == "AuthenticAMD" and known.get("cpu family") == _ZEN_4
    return is_family and "avx512f" in known.get("flags", "").split()
