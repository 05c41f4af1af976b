// Tests rows by facts and numbers, a block of rows at a time. Each step processes all rows that are left.
//
// Suitable steps are lookups of facts with one answer, comparisons, and assignments of numbers for later steps. The
// machine handles rows for which a lookup has several answers or a number is unknown.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "event_rows.h"
#include "plan.h"

namespace holdsfor {

struct Prepared;

// The source of a value of a row.
struct ColumnSource {
  enum class Kind : std::uint8_t { kNothing, kTime, kArgument, kLookup, kNumber, kConstant };
  Kind kind = Kind::kNothing;
  Index number = 0;   // of an argument, a lookup or an assigned number
  Index column = 0;   // of the fact that a lookup found
  Index numbers = 0;  // for a lookup: the column as numbers, in ColumnTests::fact_numbers
  Value constant = {};

  friend bool operator==(const ColumnSource&, const ColumnSource&) = default;
};

// A lookup of facts by key values.
struct ColumnLookup {
  // Result of a lookup, if not the number of a fact.
  enum Found : std::int32_t { kNotLookedUp = -3, kSeveral = -2, kNoFact = -1 };

  Index facts = 0;
  Index index = 0;
  std::vector<ColumnSource> keys;
  // If exactly one key is not a constant: a table of results, by the term code of that key, or by the fact that
  // supplies it.
  std::optional<Index> variable;  // index of this key
  std::vector<std::int32_t> known;

  [[nodiscard]] bool is_like(const ColumnLookup& other) const {
    return facts == other.facts && index == other.index && keys == other.keys;
  }
};

struct ColumnStep {
  enum class Kind : std::uint8_t { kLookup, kCompare, kAssign };
  Kind kind = Kind::kLookup;
  Index number = 0;  // of the lookup or of the assigned number
  Comparison comparison = Comparison::kEqual;
  Formula left;
  Formula right;
};

struct ColumnProgram {
  std::vector<ColumnStep> steps;
  std::vector<ColumnSource> sources;  // by register
};

// The tests of all rules of one table. A lookup that several rules share is stored once.
struct ColumnTests {
  std::vector<ColumnLookup> lookups;
  // Columns of facts that lookups find, converted to numbers.
  struct FactNumbers {
    std::pair<Index, Index> column;  // of a fact table
    std::vector<double> numbers;     // by fact
  };
  std::vector<FactNumbers> fact_numbers;
  Index numbers = 0;  // number of assigned numbers

  // Compiles a program that begins with a row and continues with tests. Nothing if a test is not of a suitable kind.
  std::optional<ColumnProgram> make(const Program& program, const Prepared& prepared);

 private:
  [[nodiscard]] bool add(const Instruction& one, const Prepared& prepared, ColumnProgram& into);
  [[nodiscard]] bool add_lookup(const Instruction& one, const Prepared& prepared, ColumnProgram& into);
  [[nodiscard]] Index add_lookup(ColumnLookup lookup, const Prepared& prepared);
  [[nodiscard]] Index add_fact_numbers(const FactTable& facts, std::pair<Index, Index> column);
};

// Each thread has its own.
class ColumnTester {
 public:
  explicit ColumnTester(const Prepared& prepared) : prepared_(&prepared) {}

  // Starts a block of `count` rows from `first` on.
  void begin(const ColumnTests& tests, const EventRows& rows, std::size_t first, std::size_t count);
  // Keeps in `selected` the rows that pass. Moves rows that the machine must decide to `undecided`.
  void test(const ColumnProgram& program, std::vector<std::uint32_t>& selected, std::vector<std::uint32_t>& undecided);

 private:
  using Found = ColumnLookup::Found;

  void look_up(Index number, std::vector<std::uint32_t>& selected, std::vector<std::uint32_t>& undecided);
  [[nodiscard]] std::int32_t find(const ColumnLookup& lookup, std::uint32_t row) const;
  [[nodiscard]] Value value(const ColumnSource& source, std::uint32_t row) const;
  void read(const ColumnSource& source, std::span<const std::uint32_t> rows, double* into);
  std::span<const double> argument(Index place);
  // Computes a formula for some rows, at a position of the stack.
  double* compute(const Formula& formula, const ColumnProgram& program, std::span<const std::uint32_t> rows,
                  std::size_t place);

  const Prepared* prepared_;
  const ColumnTests* tests_ = nullptr;
  const EventRows* rows_ = nullptr;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  std::vector<std::int32_t> found_;  // by lookup and row
  std::vector<double> numbers_;      // by assigned number and row
  std::vector<double> arguments_;    // by argument and row, as numbers
  std::vector<bool> has_argument_;   // which arguments are converted
  std::vector<double> stack_;        // the operand stack, a column for each entry
};

}  // namespace holdsfor
