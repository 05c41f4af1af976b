// Row conditions: conditions of rules that depend only on a row of events and on facts. They are evaluated once for
// each row, before the key is evaluated.
//
// A rule that begins with the events of its time-point has a bit in each of their rows. A clear bit: the rule finds
// nothing for the row and has nothing to report. A set bit: the conditions Rule::row_tests hold. All bits set:
// something in the row has no value, or only the host can decide, so nothing is known.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "event_rows.h"
#include "log.h"
#include "plan.h"
#include "row_columns.h"

namespace holdsfor {

struct Prepared;

// Assigns bits to rules that begin with a row, table by table, and their remaining instructions for a row that passes.
// Rules beyond the last bit get none.
void assign_row_bits(Plan& plan);

// The row conditions of one stage, as tests of columns where possible.
class RowConditions {
 public:
  RowConditions(const Prepared& prepared, Index stage);

 private:
  friend class RowTester;

  // The position of a value in a row: an argument, or the time.
  using Place = std::uint32_t;
  static constexpr Place kTime = UINT32_MAX;

  // Comparisons of a number with constants. The position of the number among the sorted limits decides all of them.
  struct Limits {
    Place place = kTime;
    Passes bits = 0;  // of the rules with these comparisons
    std::vector<double> limits;
    // By position: 2i is between limit i - 1 and limit i, 2i + 1 is limit i itself.
    std::vector<Passes> passes;
  };
  // Comparisons of a term with constants.
  struct Words {
    Place place = 0;
    std::vector<std::pair<std::uint64_t, Passes>> passes;  // sorted by word
    Passes others = 0;
  };
  // The row tests of a rule that Words and Limits do not cover, as a separate program. The machine runs it, unless it
  // can be compiled to column tests.
  struct Rest {
    Passes bit = 0;
    Program program;
    std::optional<ColumnProgram> columns;
  };
  struct OfTable {
    Passes all = 0;              // the bits of its rules
    std::vector<Words> columns;  // constants in the event patterns of rules
    std::vector<Limits> limits;
    std::vector<Words> words;
    ColumnTests column_tests;
    std::vector<Rest> rest;
  };
  class Compiler;

  // The rules that a word leaves possible.
  static Passes test(const Words& words, std::uint64_t word);

  const Prepared& prepared_;
  std::vector<OfTable> tables_;  // by table
};

// Tests rows. Each thread has its own.
class RowTester {
 public:
  RowTester(const RowConditions& conditions, TermTable& terms);
  ~RowTester();
  RowTester(const RowTester&) = delete;
  RowTester& operator=(const RowTester&) = delete;
  RowTester(RowTester&&) noexcept;
  RowTester& operator=(RowTester&&) = delete;

  // Computes the bits of rows of a table, from `first` on.
  void test(Index table, const EventRows& rows, std::size_t first, std::span<Passes> passes);

 private:
  struct Rest;

  void test_limits(const RowConditions::Limits& limits, const EventRows& rows, std::size_t first,
                   std::span<Passes> passes);
  void test_rest(const RowConditions::Rest& rest, const EventRows& rows, std::size_t first, std::span<Passes> passes);
  Passes run(const RowConditions::Rest& rest, Time time, std::span<const Value> args, Passes passes);

  const RowConditions* conditions_;
  TermTable* terms_;
  std::unique_ptr<Rest> rest_;  // created on first use
  // By row: the rules whose event pattern matches, a number of the row, and its position among the limits.
  std::vector<Passes> begun_;
  std::vector<double> numbers_;
  std::vector<std::uint32_t> positions_;
  std::vector<Value> args_;
  ColumnTester columns_;
  std::vector<std::uint32_t> selected_;
  std::vector<std::uint32_t> undecided_;
};

}  // namespace holdsfor
