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

// Names of ASCII letters, digits and underscores; whether others need quotes is for Python to say.
bool Speller::is_plain(std::string_view name) const {
  const auto is_small = [](char letter) { return letter >= 'a' && letter <= 'z'; };
  if (name.empty() || !is_small(name[0])) return false;
  for (const char letter : name) {
    const bool is_word = is_small(letter) || (letter >= 'A' && letter <= 'Z') || (letter >= '0' && letter <= '9');
    if (!is_word && letter != '_') return false;
  }
  // Operators are short.
  constexpr std::size_t kLongest = 16;
  return name.size() > kLongest || !reserved_.contains(std::string(name));
}

void Speller::add(Value value, bool is_alone, TextColumn& into) {
  if (value.is_integer()) {
    into.add(value.as_integer());
    return;
  }
  if (value.is_real()) {
    // Beyond, there are exponents.
    const double size = std::abs(value.as_real());
    if (size >= 1e-3 && size < 1e15 && std::trunc(size) != size) {
      std::array<char, 40> digits{};
      const auto end =
          std::to_chars(digits.data(), digits.data() + digits.size(), value.as_real(), std::chars_format::fixed);
      into.add(std::string_view(digits.data(), static_cast<std::size_t>(end.ptr - digits.data())));
      return;
    }
  }
  if (value.is_code()) {
    const Term& term = terms_[value];
    if (term.kind == TermKind::kName && is_plain(term.text)) {
      into.add(term.text);
      return;
    }
  }
  auto& known = known_[is_alone ? 1 : 0];
  auto found = known.find(value.word());
  if (found == known.end()) found = known.emplace(value.word(), write_(value, is_alone)).first;
  into.add(found->second);
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
  into.end();
}

}  // namespace holdsfor
