#include "ids.h"

namespace holdsfor {
namespace {

constexpr std::array<std::uint64_t, 2> kSeeds{0x9E3779B97F4A7C15U, 0xC2B2AE3D27D4EB4FU};

// Every bit of a word made to depend on all others.
std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ (word >> 30U)) * 0xBF58476D1CE4E5B9U;
  word = (word ^ (word >> 27U)) * 0x94D049BB133111EBU;
  return word ^ (word >> 31U);
}

// The bytes of a text as the digits of a number.
std::uint64_t hash_of_text(std::string_view text, std::uint64_t base) {
  std::uint64_t total = 0;
  std::uint64_t power = base;
  for (const char letter : text) {
    total += (std::uint64_t{static_cast<unsigned char>(letter)} + 1) * power;
    power *= base;
  }
  return mixed(total);
}

}  // namespace

std::array<char, kIdDigits> interval_id(std::string_view fluent, std::string_view value, Time start, Time query) {
  std::array<char, kIdDigits> found{};
  for (std::size_t half = 0; half < kSeeds.size(); ++half) {
    const std::uint64_t seed = kSeeds[half];
    std::uint64_t word = mixed(seed ^ hash_of_text(fluent, seed));
    word = mixed(word ^ hash_of_text(value, seed));
    word = mixed(word ^ static_cast<std::uint64_t>(start));
    word = mixed(word ^ static_cast<std::uint64_t>(query));
    for (std::size_t digit = 0; digit < 16; ++digit) {
      found[half * 16 + digit] = "0123456789abcdef"[word >> (60 - 4 * digit) & 15U];
    }
  }
  return found;
}

}  // namespace holdsfor
