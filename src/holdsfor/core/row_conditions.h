// Conditions of rules that depend on nothing but a row of events and on facts: decided once for each row, before its
// key is evaluated.
//
// A rule that begins with the events of its time-point has a bit for each row of them. A clear bit says that the rule
// finds nothing for the row, and has nothing to report. A set one says that its conditions Rule::row_tests hold. If
// something in a row has no value, or only the host can tell, all bits are set and nothing is known.
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

// Gives rules that begin with a row their bits, table by table, and what is left to do for a row that passes; rules
// beyond the last bit get none.
void assign_row_bits(Plan& plan);

// The conditions of one stage, as tests of columns where possible.
class RowConditions {
 public:
  RowConditions(const Prepared& prepared, Index stage);

 private:
  friend class RowTester;

  // Where a value of a row stands: an argument, or its time.
  using Place = std::uint32_t;
  static constexpr Place kTime = UINT32_MAX;

  // Comparisons of a number with constants: which of them hold follows from where it lies between the limits.
  struct Limits {
    Place place = kTime;
    Passes bits = 0;  // of the rules that compare it
    std::vector<double> limits;
    // By position: 2i is below limit i and above those before it, 2i + 1 is limit i.
    std::vector<Passes> passes;
  };
  // Comparisons of a term with constants.
  struct Words {
    Place place = 0;
    std::vector<std::pair<std::uint64_t, Passes>> passes;  // by word, in order
    Passes others = 0;
  };
  // What a rule asks beyond such tests: its first instructions as a program of their own. The machine runs it, unless
  // it can be done for a block of rows at a time.
  struct Rest {
    Passes bit = 0;
    Program program;
    std::optional<ColumnProgram> columns;
  };
  struct OfTable {
    Passes all = 0;              // the bits of its rules
    std::vector<Words> columns;  // constants in the events that rules begin with
    std::vector<Limits> limits;
    std::vector<Words> words;
    ColumnTests column_tests;
    std::vector<Rest> rest;
  };
  class Compiler;

  // Which rules a word leaves.
  static Passes test(const Words& words, std::uint64_t word);

  const Prepared& prepared_;
  std::vector<OfTable> tables_;  // by table
};

// Tests rows; one for each thread.
class RowTester {
 public:
  RowTester(const RowConditions& conditions, TermTable& terms);
  ~RowTester();
  RowTester(const RowTester&) = delete;
  RowTester& operator=(const RowTester&) = delete;
  RowTester(RowTester&&) noexcept;
  RowTester& operator=(RowTester&&) = delete;

  // What holds for rows of a table, from the `first` on.
  void test(Index table, const EventRows& rows, std::size_t first, std::span<Passes> passes);

 private:
  struct Rest;

  void test_limits(const RowConditions::Limits& limits, const EventRows& rows, std::size_t first,
                   std::span<Passes> passes);
  void test_rest(const RowConditions::Rest& rest, const EventRows& rows, std::size_t first, std::span<Passes> passes);
  Passes run(const RowConditions::Rest& rest, Time time, std::span<const Value> args, Passes passes);

  const RowConditions* conditions_;
  TermTable* terms_;
  std::unique_ptr<Rest> rest_;  // made when it is first needed
  // By row: the rules that begin with it, a number of it, and where that lies between limits.
  std::vector<Passes> begun_;
  std::vector<double> numbers_;
  std::vector<std::uint32_t> positions_;
  std::vector<Value> args_;
  ColumnTester columns_;
  std::vector<std::uint32_t> selected_;
  std::vector<std::uint32_t> undecided_;
};

}  // namespace holdsfor
