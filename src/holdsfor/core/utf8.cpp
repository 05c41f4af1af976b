#include "utf8.h"

#include <algorithm>

namespace holdsfor {

bool is_utf8(std::string_view bytes) {
  const auto at = [&](std::size_t place) { return static_cast<unsigned char>(bytes[place]); };
  // Most text is ASCII only: a loop without branches checks many bytes at a time.
  unsigned char all = 0;
  for (const char byte : bytes) all |= static_cast<unsigned char>(byte);
  if (all < 0x80) return true;
  for (std::size_t place = 0; place < bytes.size();) {
    const unsigned char lead = at(place++);
    if (lead < 0x80) continue;
    if (lead < 0xC2 || lead > 0xF4) return false;
    const std::size_t more = lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    if (bytes.size() - place < more) return false;
    // The range of the second byte depends on the first.
    const unsigned char least = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned char most = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    if (at(place) < least || at(place) > most) return false;
    for (std::size_t i = 1; i < more; ++i) {
      if (at(place + i) < 0x80 || at(place + i) > 0xBF) return false;
    }
    place += more;
  }
  return true;
}

}  // namespace holdsfor
