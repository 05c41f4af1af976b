#include "ids.h"

namespace holdsfor {
namespace {

constexpr std::array<std::uint64_t, 2> kSeeds{0x9E3779B97F4A7C15U, 0xC2B2AE3D27D4EB4FU};

// Mixes a word so that every bit depends on all others.
std::uint64_t mixed(std::uint64_t word) {
  word = (word ^ (word >> 30U)) * 0xBF58476D1CE4E5B9U;
  word = (word ^ (word >> 27U)) * 0x94D049BB133111EBU;
  return word ^ (word >> 31U);
}

// Powers of both seeds for a block of letters, so that the products are independent of each other.
constexpr std::size_t kLetters = 32;
constexpr auto kPowers = [] {
  std::array<std::array<std::uint64_t, kLetters>, kSeeds.size()> found{};
  for (std::size_t half = 0; half < kSeeds.size(); ++half) {
    std::uint64_t power = 1;
    for (std::uint64_t& one : found[half]) one = power *= kSeeds[half];
  }
  return found;
}();

// Writes the eight hexadecimal digits of a number, computed together: one byte of a word for each digit.
void write_digits(std::uint32_t number, char* into) {
  std::uint64_t word = number;
  word = (word | word << 16U) & 0x0000FFFF0000FFFFU;
  word = (word | word << 8U) & 0x00FF00FF00FF00FFU;
  word = (word | word << 4U) & 0x0F0F0F0F0F0F0F0FU;
  constexpr std::uint64_t kOnes = 0x0101010101010101U;
  const std::uint64_t is_letter = (word + 6 * kOnes) >> 4U & kOnes;
  word += '0' * kOnes + ('a' - '0' - 10) * is_letter;
  for (std::size_t digit = 0; digit < 8; ++digit) into[digit] = static_cast<char>(word >> (56 - 8 * digit) & 255U);
}

}  // namespace

// Polynomial hash of the bytes of a text.
TextHash text_hash(std::string_view text) {
  TextHash total{};
  TextHash scale{1, 1};
  while (!text.empty()) {
    const std::string_view part = text.substr(0, kLetters);
    TextHash sum{};
    for (std::size_t i = 0; i < part.size(); ++i) {
      const std::uint64_t letter = std::uint64_t{static_cast<unsigned char>(part[i])} + 1;
      sum[0] += letter * kPowers[0][i];
      sum[1] += letter * kPowers[1][i];
    }
    for (std::size_t half = 0; half < total.size(); ++half) {
      total[half] += sum[half] * scale[half];
      scale[half] *= kPowers[half].back();
    }
    text.remove_prefix(part.size());
  }
  return {mixed(total[0]), mixed(total[1])};
}

IntervalId interval_id(const TextHash& fluent, const TextHash& value, Time start, Time query) {
  IntervalId found{};
  for (std::size_t half = 0; half < kSeeds.size(); ++half) {
    std::uint64_t word = mixed(kSeeds[half] ^ fluent[half]);
    word = mixed(word ^ value[half]);
    word = mixed(word ^ static_cast<std::uint64_t>(start));
    word = mixed(word ^ static_cast<std::uint64_t>(query));
    write_digits(static_cast<std::uint32_t>(word >> 32U), &found[half * 16]);
    write_digits(static_cast<std::uint32_t>(word), &found[half * 16 + 8]);
  }
  return found;
}

}  // namespace holdsfor
