// A term in one 64-bit word. Equal terms are equal words.
//
// The two low bits are a tag. Whole numbers of 62 bits and most floats are stored in the word itself, as in other
// dynamic languages. All other terms (names, compound terms, lists, larger numbers) are codes of the TermTable.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <span>

namespace holdsfor {

using Time = std::int64_t;

// Later than every time-point: the end of an open interval.
inline constexpr Time kForever = INT64_MAX;
// Earlier than every time-point.
inline constexpr Time kNever = INT64_MIN;

class Value {
 public:
  constexpr Value() = default;

  static constexpr Value nothing() { return Value{}; }
  static constexpr Value wildcard() { return Value{kSpecial | 4U}; }
  static constexpr Value code(std::uint32_t code) { return Value{std::uint64_t{code} << 2U}; }
  static constexpr bool fits(std::int64_t number) { return number >= -kIntegerLimit && number < kIntegerLimit; }
  // The number must fit.
  static constexpr Value integer(std::int64_t number) {
    return Value{(static_cast<std::uint64_t>(number) << 2U) | kInteger};
  }

  // Whether the exponent of a float is in the range that leaves two bits free. Other floats are codes.
  static bool fits(double number) {
    const auto top = std::bit_cast<std::uint64_t>(number) >> 60U & 7U;
    return (top == 3 || top == 4) && std::bit_cast<std::uint64_t>(number) != kAmbiguous;
  }
  static Value real(double number) {
    return Value{(std::rotl(std::bit_cast<std::uint64_t>(number), 3) & ~std::uint64_t{3}) | kReal};
  }

  [[nodiscard]] constexpr bool is_nothing() const { return word_ == kSpecial; }
  [[nodiscard]] constexpr bool is_wildcard() const { return word_ == (kSpecial | 4U); }
  [[nodiscard]] constexpr bool is_code() const { return (word_ & 3U) == 0; }
  [[nodiscard]] constexpr bool is_integer() const { return (word_ & 3U) == kInteger; }
  [[nodiscard]] constexpr bool is_real() const { return (word_ & 3U) == kReal; }

  [[nodiscard]] constexpr std::uint32_t as_code() const { return static_cast<std::uint32_t>(word_ >> 2U); }
  [[nodiscard]] constexpr std::int64_t as_integer() const { return static_cast<std::int64_t>(word_) >> 2; }
  [[nodiscard]] double as_real() const {
    const std::uint64_t sign = word_ >> 63U;
    return std::bit_cast<double>(std::rotr((2U - sign) | (word_ & ~std::uint64_t{3}), 3));
  }

  [[nodiscard]] constexpr std::uint64_t word() const { return word_; }
  static constexpr Value from_word(std::uint64_t word) { return Value{word}; }

  friend constexpr bool operator==(Value, Value) = default;

 private:
  static constexpr std::uint64_t kInteger = 1;
  static constexpr std::uint64_t kReal = 2;
  static constexpr std::uint64_t kSpecial = 3;
  static constexpr std::int64_t kIntegerLimit = std::int64_t{1} << 61U;
  // The one float of that range whose word would equal that of zero.
  static constexpr std::uint64_t kAmbiguous = 0x3000000000000000U;

  explicit constexpr Value(std::uint64_t word) : word_(word) {}

  std::uint64_t word_ = kSpecial;
};

// Mixes a word into a hash; sufficient for tables whose size is a power of two.
inline std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) * 0x9E3779B97F4A7C15U;
  return hash ^ (hash >> 32U);
}

// The hash of a row of values.
inline std::uint64_t hash_of(std::span<const Value> row) {
  std::uint64_t found = 0;
  for (const Value value : row) found = mix(found, value.word());
  return found;
}

}  // namespace holdsfor

template <>
struct std::hash<holdsfor::Value> {
  std::size_t operator()(holdsfor::Value value) const noexcept { return holdsfor::mix(0, value.word()); }
};
