"""Gives the core plans with some words changed: it refuses them with a reason, or runs them.

A crash ends the process, so that tests run this as one of their own. It prints how many plans were refused and run.
"""

from __future__ import annotations

import random
import struct
import sys

from holdsfor.core.host import Host
from holdsfor.physical.encode import Encoder
from holdsfor.physical.lower import lower
from holdsfor.physical.model import PhysicalPlan, Role
from tests.core.building import built_core
from tests.physical.families import FAMILIES, scenarios

_HEAD = 40
_STRANGE = (-1, 0, 1, 2, 3, 5, 7, 8, 17, 64, 1000, 65536, 2**31, 2**32 - 1, 2**32, 2**62, 2**63 - 1, -(2**63))


def changed(data: bytes, chance: random.Random) -> bytes:
    """The bytes with some words changed, some taken out or doubled, or cut off."""
    (count,) = struct.unpack_from("<q", data, _HEAD)
    first = _HEAD + 16
    found = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        at = first + 8 * chance.randrange(count)
        (old,) = struct.unpack_from("<q", found, at)
        new = chance.choice((chance.choice(_STRANGE), old + chance.choice((-1, 1)), chance.randrange(24)))
        struct.pack_into("<q", found, at, max(-(2**63), min(2**63 - 1, new)))
    match chance.randrange(20):
        case 0:
            return bytes(found[: chance.randrange(len(found))])
        case 1:
            found[chance.randrange(len(found))] ^= 1 << chance.randrange(8)
        case 2:
            at = first + 8 * chance.randrange(count)
            size = 8 * chance.randrange(1, 8)
            found[at:at] = found[at : at + size]
            struct.pack_into("<q", found, _HEAD, count + size // 8)
        case 3:
            at = first + 8 * chance.randrange(count)
            size = 8 * min(chance.randrange(1, 8), (first + 8 * count - at) // 8)
            del found[at : at + size]
            struct.pack_into("<q", found, _HEAD, count - size // 8)
        case _:
            pass
    return bytes(found)


def try_out(data: bytes, plan: PhysicalPlan, host: Host, chance: random.Random) -> bool:
    """Whether the core takes the bytes for a plan. If so, it runs a little."""
    try:
        core = built_core().Core(data, host)
    except ValueError:
        return False
    host.connect(core)
    try:
        for number, table in enumerate(plan.tables):
            for _ in range(3 if table.role is Role.INPUT_EVENT else 0):
                args = tuple(chance.choice(("ann", "bob", 1, 2)) for _ in range(table.columns))
                core.push_one(number, chance.randrange(20), args)
        core.advance(10, 1)
        core.advance(25, 2)
    except Exception:  # noqa: BLE001 (what it means is nonsense; it must not crash)
        return True
    return True


def main(count: int, seed: int) -> None:
    """Changes random plans so many times."""
    chance = random.Random(seed)
    plans = []
    for family in FAMILIES:
        for one in scenarios(family, range(seed * 8, seed * 8 + 8)):
            lowered, encoder = lower(one.reasoner.plan), Encoder()
            data = encoder.encode(lowered.plan)
            plans.append((lowered.plan, data, Host(lowered.goals, encoder.sites, {})))
    run = refused = 0
    for _ in range(count):
        plan, data, host = chance.choice(plans)
        wrong = changed(data, chance)
        if try_out(wrong, plan, host, chance):
            run += 1
        else:
            refused += 1
    sys.stdout.write(f"{refused} refused, {run} run\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
