// A 128-bit integer, a compiler extension.
#pragma once

namespace holdsfor {

__extension__ using Wide = __int128;

}  // namespace holdsfor
