#include "buckets.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <string_view>

namespace holdsfor {
namespace {

constexpr std::uint32_t kCrcPolynomial = 0xEDB88320U;
constexpr std::uint32_t kSeed = 42;  // the seed of Spark's `hash`

constexpr std::array<std::uint32_t, 256> make_crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < table.size(); ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1U) ^ ((rest & 1U) != 0 ? kCrcPolynomial : 0U);
    table[byte] = rest;
  }
  return table;
}

std::uint32_t crc32(std::string_view text) {
  static constexpr auto kTable = make_crc_table();
  std::uint32_t found = 0xFFFFFFFFU;
  for (const char letter : text) {
    found = kTable[(found ^ static_cast<unsigned char>(letter)) & 0xFFU] ^ (found >> 8U);
  }
  return ~found;
}

std::int64_t floor_of(double number) {
  constexpr double kLimit = 9223372036854775808.0;
  if (number >= kLimit) return std::numeric_limits<std::int64_t>::max();
  if (number < -kLimit) return std::numeric_limits<std::int64_t>::min();
  return static_cast<std::int64_t>(std::floor(number));
}

std::int64_t number_of_real(double number) {
  if (std::isinf(number)) return crc32(number > 0 ? "inf" : "- inf");
  return floor_of(number);
}

std::int64_t number_of_big_integer(std::string_view digits) {
  const bool is_negative = digits.starts_with('-');
  // Integers of 62 to 64 bits are terms here, but plain numbers in SQL.
  std::uint64_t size = 0;
  for (const char digit : digits.substr(is_negative ? 1 : 0)) {
    const auto next = static_cast<std::uint64_t>(digit - '0');
    if (size > (std::uint64_t{1} << 63U) / 10 || size * 10 + next > std::uint64_t{1} << 63U) {
      size = std::uint64_t{1} << 63U;
      break;
    }
    size = size * 10 + next;
  }
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (is_negative) return static_cast<std::int64_t>(~size + 1);
  return static_cast<std::int64_t>(std::min(size, kMost));
}

// Murmur3 of a 64-bit number.
std::uint32_t mix_number(std::uint32_t hash, std::int64_t number) {
  for (const unsigned shift : {0U, 32U}) {
    auto word = static_cast<std::uint32_t>(static_cast<std::uint64_t>(number) >> shift);
    word = std::rotl(word * 0xCC9E2D51U, 15) * 0x1B873593U;
    hash = std::rotl(hash ^ word, 13) * 5U + 0xE6546B64U;
  }
  hash ^= 8U;
  hash = (hash ^ (hash >> 16U)) * 0x85EBCA6BU;
  hash = (hash ^ (hash >> 13U)) * 0xC2B2AE35U;
  return hash ^ (hash >> 16U);
}

// The non-negative remainder of a signed hash: `pmod` of Spark SQL.
Index remainder(std::uint32_t hash, std::size_t count) {
  const auto signed_count = static_cast<std::int64_t>(count);
  const std::int64_t found = static_cast<std::int32_t>(hash) % signed_count;
  return static_cast<Index>(found < 0 ? found + signed_count : found);
}

}  // namespace

std::int64_t value_number(Value value, const TermTable& terms) {
  if (value.is_integer()) return value.as_integer();
  if (value.is_real()) return number_of_real(value.as_real());
  if (!value.is_code()) return 0;
  const Term& term = terms[value];
  switch (term.kind) {
    case TermKind::kName:
      return crc32(term.text);
    case TermKind::kReal:
      return number_of_real(term.real);
    case TermKind::kBigInteger:
      return number_of_big_integer(term.text);
    case TermKind::kCompound:
    case TermKind::kList:
      break;
  }
  // Input columns never have such values; only engines hash them.
  std::uint32_t hash = kSeed;
  if (term.kind == TermKind::kCompound) hash = mix_number(hash, value_number(term.functor, terms));
  for (const Value item : term.items) hash = mix_number(hash, value_number(item, terms));
  return hash;
}

std::uint32_t hash_of_values(std::span<const Value> values, const TermTable& terms) {
  std::uint32_t hash = kSeed;
  for (const Value value : values) hash = mix_number(hash, value_number(value, terms));
  return hash;
}

BucketGrid::BucketGrid(std::size_t buckets, std::vector<Index> sides) : buckets_(buckets), sides_(std::move(sides)) {
  if (sides_.empty()) return;
  buckets_ = 1;
  for (const Index side : sides_) buckets_ *= side;
}

Index BucketGrid::bucket(std::span<const Value> key, const TermTable& terms) const {
  if (key.empty()) return 0;
  if (!firsts_.empty()) {
    const std::int64_t number = value_number(key[0], terms);
    const auto first = firsts_.find(number);
    return remainder(mix_number(kSeed, first == firsts_.end() ? number : first->second), buckets_);
  }
  if (sides_.empty()) return remainder(hash_of_values(key, terms), buckets_);
  Index found = 0;
  for (std::size_t part = 0; part < key.size(); ++part) {
    found = found * sides_[part] + remainder(hash_of_values(key.subspan(part, 1), terms), sides_[part]);
  }
  return found;
}

// With twice as many parts, each part is half of a part here.
Index BucketGrid::part(std::span<const Value> key, std::size_t parts, const TermTable& terms) const {
  const std::int64_t hash = std::int64_t{static_cast<std::int32_t>(hash_of_values(key, terms))} - INT32_MIN;
  return static_cast<Index>(static_cast<std::uint64_t>(hash) / buckets_ % parts);
}

void BucketGrid::find(const Route& route, const Value* args, const TermTable& terms, std::vector<Index>& into) const {
  into.clear();
  if (route.is_shared) {
    for (Index bucket = 0; bucket < buckets_; ++bucket) into.push_back(bucket);
    return;
  }
  std::vector<Value> key;
  for (std::size_t i = 0; i < route.places.size(); ++i) {
    key.clear();
    for (const Index place : route.places[i]) key.push_back(args[place]);
    if (!route.is_partial()) {
      into.push_back(bucket(key, terms));
      continue;
    }
    const std::uint32_t hash = hash_of_values(key, terms);
    for (const Index part : route.parts[i]) add_line(part, remainder(hash, sides_[part]), into);
  }
  std::sort(into.begin(), into.end());
  into.erase(std::unique(into.begin(), into.end()), into.end());
}

void BucketGrid::add_line(Index part, Index place, std::vector<Index>& into) const {
  Index after = 1;  // cells of one step on this side
  for (std::size_t later = part + std::size_t{1}; later < sides_.size(); ++later) after *= sides_[later];
  Index before = 1;
  for (std::size_t earlier = 0; earlier < part; ++earlier) before *= sides_[earlier];
  for (Index outer = 0; outer < before; ++outer) {
    for (Index inner = 0; inner < after; ++inner) into.push_back((outer * sides_[part] + place) * after + inner);
  }
}

}  // namespace holdsfor
