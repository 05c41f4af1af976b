// The table of terms that do not fit into a word: names, compound terms, lists, large numbers.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "value.h"

namespace holdsfor {

enum class TermKind : std::uint8_t { kName, kCompound, kList, kReal, kBigInteger };

struct Term {
  TermKind kind = TermKind::kName;
  double real = 0;                // kReal
  Value functor = {};             // kCompound: the code of its name
  std::string text = {};          // kName: the name; kBigInteger: its decimal digits
  std::vector<Value> items = {};  // kCompound: arguments; kList: elements
  bool is_open = false;           // it contains a wildcard
};

class TermTable;

// Marks the terms that something refers to. A word that only looks like a code does no harm: an unused term survives.
class TermMarks {
 public:
  explicit TermMarks(const TermTable& terms);
  // Marks a word that may be a code.
  void mark(std::uint64_t word);
  void mark(std::span<const Value> cells) {
    for (const Value cell : cells) mark(cell.word());
  }
  [[nodiscard]] bool has(std::uint32_t code) const { return marks_[code]; }

 private:
  const TermTable& terms_;
  std::vector<bool> marks_;
};

// Interns terms: equal terms have equal codes. Threads may read and intern concurrently.
class TermTable {
 public:
  Value name(std::string_view text);
  // Interns many names at once. `found` has the size of `texts`.
  void names(std::span<const std::string_view> texts, std::span<Value> found);
  Value compound(Value functor, std::span<const Value> args);
  Value list(std::span<const Value> items);
  // A list with a tail. If the tail is not a list, the result is a compound term of the items and the tail. No other
  // term has the functor `[]`.
  Value list(std::span<const Value> items, Value tail);
  // A float that is not an integer below 2^53.
  Value real(double number);
  // A number in its only representation: a whole float below 2^53 is an integer.
  Value number(double number) {
    constexpr double kExact = 9007199254740992.0;  // 2^53
    if (number > -kExact && number < kExact) {
      const auto whole = static_cast<std::int64_t>(number);
      if (static_cast<double>(whole) == number) return Value::integer(whole);
    }
    return real(number);
  }
  Value big_integer(std::string_view digits);
  Value integer(std::int64_t number) {
    return Value::fits(number) ? Value::integer(number) : big_integer(std::to_string(number));
  }

  // Valid until the term is reclaimed; terms do not move.
  [[nodiscard]] const Term& operator[](Value code) const { return at(code.as_code()); }
  // Upper bound of the codes, including free ones.
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] std::size_t used() const { return count_ - free_.size(); }
  // Protects all current terms from `reclaim`.
  void keep_all() { kept_ = count_; }
  // Drops terms that are not marked. Their codes will be reused. No other thread may use the table meanwhile.
  void reclaim(const TermMarks& marks);

  [[nodiscard]] bool is_list(Value value) const { return value.is_code() && (*this)[value].kind == TermKind::kList; }
  // See `list` with a tail that is not a list.
  [[nodiscard]] bool is_partial_list(Value value) const {
    return is_compound(value) && (*this)[(*this)[value].functor].text == "[]";
  }
  [[nodiscard]] bool is_compound(Value value) const {
    return value.is_code() && (*this)[value].kind == TermKind::kCompound;
  }
  [[nodiscard]] bool is_name(Value value) const { return value.is_code() && (*this)[value].kind == TermKind::kName; }
  [[nodiscard]] bool is_number(Value value) const;
  // Whether a term contains a wildcard, that is, an unbound variable.
  [[nodiscard]] bool is_open(Value value) const {
    return value.is_wildcard() || (value.is_code() && (*this)[value].is_open);
  }
  // Whether two terms are equal, or become equal if each wildcard is replaced by some term.
  [[nodiscard]] bool unifies(Value one, Value other) const {
    if (one == other || one.is_wildcard() || other.is_wildcard()) return true;
    return has_open_.load(std::memory_order_relaxed) && one.is_code() && other.is_code() && unifies_inside(one, other);
  }
  // A whole number as a time-point.
  [[nodiscard]] std::optional<Time> time(Value value) const {
    return value.is_integer() ? std::optional(value.as_integer()) : large_time(value);
  }

 private:
  // Blocks of terms, each twice as large as the previous one. Terms never move, so threads can read while another one
  // adds.
  static constexpr unsigned kFirstBits = 8;
  static constexpr unsigned kBlocks = 33 - kFirstBits;

  static unsigned block_of(std::uint32_t code) { return std::bit_width((code >> kFirstBits) + 1) - 1; }
  static std::uint32_t begin_of(unsigned block) { return ((1U << block) - 1) << kFirstBits; }
  [[nodiscard]] const Term& at(std::uint32_t code) const {
    const unsigned block = block_of(code);
    return blocks_[block][code - begin_of(block)];
  }
  // The hash index of terms. The number of slots is a power of two, and at most half are in use. The upper bits of the
  // hash give the first slot to probe.
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t code = UINT32_MAX;
  };

  Term& slot(std::uint32_t code);
  [[nodiscard]] std::size_t home(std::uint32_t hash) const { return hash >> shift_; }
  // The slot of a term, or the empty slot for it.
  template <typename IsSame>
  [[nodiscard]] Slot& find(std::uint32_t hash, const IsSame& is_same);
  void make_room(std::size_t more);
  void fill_slots(std::size_t count);
  std::uint32_t add(Term term);
  [[nodiscard]] std::optional<Time> large_time(Value value) const;
  Value intern(Term term);
  Value name(std::string_view text, std::uint32_t hash);
  [[nodiscard]] bool unifies_inside(Value one, Value other) const;
  [[nodiscard]] bool unifies_partial_list(const Term& partial, Value other) const;
  static std::uint32_t hash(const Term& term);
  static std::uint32_t hash(std::string_view name);
  static bool same(const Term& one, const Term& other);

  std::mutex mutex_;
  std::atomic<bool> has_open_ = false;  // some term contains a wildcard
  std::array<std::unique_ptr<Term[]>, kBlocks> blocks_;
  std::uint32_t count_ = 0;
  std::uint32_t kept_ = 0;
  std::vector<std::uint32_t> free_;
  std::vector<Slot> slots_;
  unsigned shift_ = 32;
};

}  // namespace holdsfor
