// An integer of 128 bits, which compilers have beside the standard.
#pragma once

namespace holdsfor {

__extension__ using Wide = __int128;

}  // namespace holdsfor
