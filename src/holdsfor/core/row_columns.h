// Tests of rows by facts and numbers, a block of rows at a time: each step goes through all rows that are left.
//
// Lookups of facts that have one answer, comparisons, and assignments of what later steps compute with can be done so.
// A row for which a lookup has several answers, or a number is not known, is left to the machine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "event_rows.h"
#include "plan.h"

namespace holdsfor {

struct Prepared;

// Where a value of a row comes from.
struct ColumnSource {
  enum class Kind : std::uint8_t { kNothing, kTime, kArgument, kLookup, kNumber, kConstant };
  Kind kind = Kind::kNothing;
  Index number = 0;  // of an argument, a lookup or an assigned number
  Index column = 0;  // of what a lookup has found
  Value constant = {};

  friend bool operator==(const ColumnSource&, const ColumnSource&) = default;
};

// A fact that rules look up, by the values of its key.
struct ColumnLookup {
  Index facts = 0;
  Index index = 0;
  std::vector<ColumnSource> keys;

  friend bool operator==(const ColumnLookup&, const ColumnLookup&) = default;
};

struct ColumnStep {
  enum class Kind : std::uint8_t { kLookup, kCompare, kAssign };
  Kind kind = Kind::kLookup;
  Index number = 0;  // of the lookup, or of the number that is assigned
  Comparison comparison = Comparison::kEqual;
  Formula left;
  Formula right;
};

struct ColumnProgram {
  std::vector<ColumnStep> steps;
  std::vector<ColumnSource> sources;  // by register
};

// The tests of all rules of one table. Lookups that several rules have in common are there once.
struct ColumnTests {
  std::vector<ColumnLookup> lookups;
  Index numbers = 0;

  // A program that begins with a row and goes on with tests; nothing if some of them are of another kind.
  std::optional<ColumnProgram> make(const Program& program, const Prepared& prepared);

 private:
  [[nodiscard]] bool add(const Instruction& one, const Prepared& prepared, ColumnProgram& into);
  [[nodiscard]] bool add_lookup(const Instruction& one, const Prepared& prepared, ColumnProgram& into);
};

// One for each thread.
class ColumnTester {
 public:
  explicit ColumnTester(const Prepared& prepared) : prepared_(&prepared) {}

  // Goes to a block of rows, from the `first` on.
  void begin(const ColumnTests& tests, const EventRows& rows, std::size_t first, std::size_t count);
  // Leaves in `selected` the rows that pass; those that are to be decided otherwise go to `undecided`.
  void test(const ColumnProgram& program, std::vector<std::uint32_t>& selected, std::vector<std::uint32_t>& undecided);

 private:
  // What a lookup has found for a row, if it is not the number of a fact.
  enum Found : std::int32_t { kNotLookedUp = -3, kSeveral = -2, kNoFact = -1 };

  [[nodiscard]] std::int32_t look_up(Index number, std::uint32_t row);
  [[nodiscard]] Value value(const ColumnSource& source, std::uint32_t row) const;
  [[nodiscard]] double number(const ColumnSource& source, std::uint32_t row) const;
  [[nodiscard]] double number(const Formula& formula, const ColumnProgram& program, std::uint32_t row) const;

  const Prepared* prepared_;
  const ColumnTests* tests_ = nullptr;
  const EventRows* rows_ = nullptr;
  std::size_t first_ = 0;
  std::size_t count_ = 0;
  std::vector<std::int32_t> found_;  // by lookup and row
  std::vector<double> numbers_;      // by assigned number and row
};

}  // namespace holdsfor
