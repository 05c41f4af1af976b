// Terms as text, whole columns at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "plan.h"
#include "terms.h"

namespace holdsfor {

// Texts one after the other, as Arrow has them.
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
  // Ends a text; the next begins.
  void end();
  void clear() {
    offsets_.resize(1);
    bytes_.clear();
  }

  [[nodiscard]] std::span<const std::int32_t> offsets() const { return offsets_; }
  [[nodiscard]] std::span<const char> bytes() const { return bytes_; }

 private:
  std::vector<std::int32_t> offsets_{0};
  std::vector<char> bytes_;
};

// Writes plain names and numbers; all else is written by somebody else, and known from then on.
class Speller {
 public:
  // The text of a term: as an argument of another, or alone.
  using Writer = std::function<std::string(Value, bool is_alone)>;
  // The text of a row, for tables that are written with operators.
  using RowWriter = std::function<std::string(Index, std::span<const Value>)>;
  // What stands before, between and behind the arguments of a row; nothing: see RowWriter.
  using Pieces = std::vector<std::vector<std::string>>;

  Speller(const TermTable& terms, Pieces pieces, std::unordered_set<std::string> reserved, Writer write,
          RowWriter write_row)
      : terms_(terms),
        pieces_(std::move(pieces)),
        reserved_(std::move(reserved)),
        write_(std::move(write)),
        write_row_(std::move(write_row)) {}

  // A row of a table; a fluent has a value, too.
  void add_row(Index table, std::span<const Value> args, Value value, TextColumn& into);
  void add(Value value, bool is_alone, TextColumn& into);
  // Codes of terms stand for others from now on.
  void forget() {
    for (auto& known : known_) known.clear();
  }

 private:
  [[nodiscard]] bool is_plain(std::string_view name) const;

  const TermTable& terms_;
  Pieces pieces_;
  std::unordered_set<std::string> reserved_;
  Writer write_;
  RowWriter write_row_;
  std::unordered_map<std::uint64_t, std::string> known_[2];  // as arguments, and alone
};

}  // namespace holdsfor
