// Writes terms as text, whole columns at a time.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "plan.h"
#include "terms.h"

namespace holdsfor {

// Texts in one buffer with offsets, the layout of Arrow.
class TextColumn {
 public:
  [[nodiscard]] std::size_t size() const { return offsets_.size() - 1; }
  [[nodiscard]] std::string_view operator[](std::size_t number) const {
    const auto from = static_cast<std::size_t>(offsets_[number]);
    return {bytes_.data() + from, static_cast<std::size_t>(offsets_[number + 1]) - from};
  }
  void reserve(std::size_t count, std::size_t bytes) {
    offsets_.reserve(count + 1);
    bytes_.reserve(bytes);
  }
  void add(std::string_view text) { bytes_.insert(bytes_.end(), text.begin(), text.end()); }
  void add(std::int64_t number);
  // Ends the current text. The next text begins.
  void end();
  void add_whole(std::string_view text) {
    add(text);
    end();
  }
  void clear() {
    offsets_.resize(1);
    bytes_.clear();
  }

  // Moves both buffers out.
  [[nodiscard]] std::vector<std::int32_t> take_offsets() { return std::move(offsets_); }
  [[nodiscard]] std::vector<char> take_bytes() { return std::move(bytes_); }

 private:
  std::vector<std::int32_t> offsets_{0};
  std::vector<char> bytes_;
};

// Texts of terms by code, in contiguous memory. The terms themselves are scattered.
class KnownTexts {
 public:
  // Empty if the text is not known.
  [[nodiscard]] std::string_view find(std::uint32_t code) const {
    if (code >= places_.size()) return {};
    return {bytes_.data() + places_[code].begin, places_[code].size};
  }
  void add(std::uint32_t code, std::string_view text);
  void clear() {
    places_.clear();
    bytes_.clear();
  }

 private:
  struct Place {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
  };
  std::vector<Place> places_;
  std::vector<char> bytes_;
};

// Writes plain names and numbers; a callback writes all other terms. Caches every text.
class Speller {
 public:
  // Writes a term, as an argument or alone.
  using Writer = std::function<std::string(Value, bool is_alone)>;
  // Writes a row, for tables that are written with operators.
  using RowWriter = std::function<std::string(Index, std::span<const Value>)>;
  // The text before, between and after the arguments of a row, by table. Empty: RowWriter writes the row.
  using Pieces = std::vector<std::vector<std::string>>;

  Speller(const TermTable& terms, Pieces pieces, std::unordered_set<std::string> reserved, Writer write,
          RowWriter write_row)
      : terms_(terms),
        pieces_(std::move(pieces)),
        reserved_(std::move(reserved)),
        write_(std::move(write)),
        write_row_(std::move(write_row)) {}

  // Appends a row of a table to the current text. A fluent also has a value.
  void add_row(Index table, std::span<const Value> args, Value value, TextColumn& into);
  void add(Value value, bool is_alone, TextColumn& into);
  // Clears the cache. Call when codes are assigned to other terms.
  void forget() {
    for (KnownTexts& known : known_) known.clear();
  }

 private:
  [[nodiscard]] bool is_plain(const Term& term) const;

  const TermTable& terms_;
  Pieces pieces_;
  std::unordered_set<std::string> reserved_;
  Writer write_;
  RowWriter write_row_;
  std::array<KnownTexts, 2> known_;  // as arguments, and alone
};

}  // namespace holdsfor
