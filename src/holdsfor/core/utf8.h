// Whether bytes are text.
#pragma once

#include <string_view>

namespace holdsfor {

// Whether bytes are UTF-8: no character is longer than it must be, none is half of a pair, none is beyond the last.
bool is_utf8(std::string_view bytes);

}  // namespace holdsfor
