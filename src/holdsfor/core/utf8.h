// Validates UTF-8.
#pragma once

#include <string_view>

namespace holdsfor {

// Whether bytes are UTF-8, without overlong encodings, surrogates and code points beyond the last one.
bool is_utf8(std::string_view bytes);

}  // namespace holdsfor
