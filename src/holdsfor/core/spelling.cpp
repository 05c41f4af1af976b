#include "spelling.h"

#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>

namespace holdsfor {

void TextColumn::add(std::int64_t number) {
  std::array<char, 24> digits{};
  char* const end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
  bytes_.insert(bytes_.end(), digits.data(), end);
}

void TextColumn::end() {
  if (bytes_.size() > INT32_MAX) throw std::length_error("the texts of a column take more than 2 GB");
  offsets_.push_back(static_cast<std::int32_t>(bytes_.size()));
}

void KnownTexts::add(std::uint32_t code, std::string_view text) {
  // Bytes in the cache, at most. Places have 32 bits.
  constexpr std::size_t kMost = std::size_t{1} << 30U;
  if (bytes_.size() + text.size() > kMost) clear();
  if (text.size() > kMost) return;
  if (code >= places_.size()) places_.resize(code + std::size_t{1});
  places_[code] = {static_cast<std::uint32_t>(bytes_.size()), static_cast<std::uint32_t>(text.size())};
  bytes_.insert(bytes_.end(), text.begin(), text.end());
}

namespace {

constexpr bool is_small(char letter) { return letter >= 'a' && letter <= 'z'; }

// By byte: an ASCII letter, a digit or an underscore.
constexpr auto kIsOfWords = [] {
  std::array<bool, 256> found{};
  for (std::size_t byte = 0; byte < 128; ++byte) {
    const auto letter = static_cast<char>(byte);
    const bool is_large = letter >= 'A' && letter <= 'Z';
    found[byte] = is_small(letter) || is_large || (letter >= '0' && letter <= '9') || letter == '_';
  }
  return found;
}();

}  // namespace

// Python decides whether names of other letters need quotes.
bool Speller::is_plain(const Term& term) const {
  const std::string_view name = term.text;
  if (term.kind != TermKind::kName || name.empty() || !is_small(name[0])) return false;
  bool is_word = true;
  for (const char letter : name) is_word &= kIsOfWords[static_cast<unsigned char>(letter)];
  return is_word && !reserved_.contains(term.text);
}

void Speller::add(Value value, bool is_alone, TextColumn& into) {
  if (value.is_code()) {
    KnownTexts& known = known_[is_alone ? 1 : 0];
    const std::string_view text = known.find(value.as_code());
    if (!text.empty()) {
      into.add(text);
      return;
    }
    const Term& term = terms_[value];
    const std::string made = is_plain(term) ? term.text : write_(value, is_alone);
    known.add(value.as_code(), made);
    into.add(made);
    return;
  }
  if (value.is_integer()) {
    into.add(value.as_integer());
    return;
  }
  // Outside this range, numbers are written with exponents.
  const double size = value.is_real() ? std::abs(value.as_real()) : 0;
  if (size >= 1e-3 && size < 1e15 && std::trunc(size) != size) {
    std::array<char, 40> digits{};
    const auto end =
        std::to_chars(digits.data(), digits.data() + digits.size(), value.as_real(), std::chars_format::fixed);
    into.add(std::string_view(digits.data(), static_cast<std::size_t>(end.ptr - digits.data())));
    return;
  }
  into.add(write_(value, is_alone));
}

void Speller::add_row(Index table, std::span<const Value> args, Value value, TextColumn& into) {
  const auto& pieces = pieces_.at(table);
  if (pieces.size() != args.size() + 1) {
    into.add(write_row_(table, args));
  } else {
    into.add(pieces[0]);
    for (std::size_t i = 0; i < args.size(); ++i) {
      add(args[i], false, into);
      into.add(pieces[i + 1]);
    }
  }
  if (!value.is_nothing()) {
    into.add("=");
    add(value, true, into);
  }
}

}  // namespace holdsfor
