// Takes incoming rows into the logs of their keys.
#pragma once

#include <span>
#include <vector>

#include "edits.h"
#include "intake.h"
#include "key_log.h"
#include "row_conditions.h"
#include "time_order.h"

namespace holdsfor {

// Takes in one key after the other. Each thread has its own.
class LogWriter {
 public:
  LogWriter(const LogWidths& widths, const RowConditions& conditions, TermTable& terms)
      : widths_(widths), tester_(conditions, terms) {}

  // Takes the rows of a group into the log of its key. With `causes`, records the rows that had an effect.
  Taken take_in(const Intake& intake, std::size_t group, Log& log, std::vector<Cause>* causes);
  [[nodiscard]] RowTester& tester() { return tester_; }
  // The inputs whose retraction found nothing. Inputs without a number are left out.
  [[nodiscard]] std::vector<Cause>& lost() { return lost_; }

 private:
  static constexpr std::size_t kNoRow = SIZE_MAX;

  // The rows of one time and table at the end of the output. Long runs are searched by hash.
  class Run {
   public:
    std::size_t from = 0;
    std::size_t width = 0;
    bool has_gaps = false;  // rows were retracted

    void begin(std::size_t at, std::size_t row_width);
    // The cell of a row with these arguments before `end`; kNoRow if there is none.
    std::size_t find(std::span<const Value> args, const Value* cells, std::size_t end);
    // Records that a row was written at `at`.
    void added(std::span<const Value> args, const Value* cells, std::size_t at);

   private:
    // Rows up to which the search is linear.
    static constexpr std::size_t kFewRows = 16;

    void index(const Value* cells, std::size_t end);
    void put(std::uint64_t hash, std::size_t at);

    std::vector<std::size_t> slots_;  // by hash: cell of a row, or kNoRow
    std::size_t indexed_ = 0;         // rows in `slots_`; 0: not in use
  };

  void read(std::span<const Value> cells);
  [[nodiscard]] bool has_equals() const;
  [[nodiscard]] const TimedRow& entry(std::size_t i) const { return entries_[order_.empty() ? i : order_[i]]; }
  void lend(const Intake& intake, std::span<Value> cells, Log& log);
  void merge(Log& log, std::vector<Cause>* causes);
  void apply(const Value* row, std::vector<Cause>* causes);
  void insert(const Value* row, std::vector<Cause>* causes);
  void note_cause(const Value* row, std::vector<Cause>* causes) const;
  void note_lost(const Value* row);
  void drop_gaps();
  Value* add(std::size_t width);

  const LogWidths& widths_;
  RowTester tester_;
  TimeOrder sorting_;
  std::vector<TimedRow> entries_;  // rows of the current group: the first `count_`
  std::size_t count_ = 0;
  std::span<const std::uint64_t> order_;  // of entries; empty if the entries are in order
  bool has_causes_ = false;
  bool takes_back_ = false;  // some entries are retractions
  std::vector<Value> out_;   // output rows, up to `end_`
  std::size_t end_ = 0;
  Run run_;
  Taken taken_;
  std::vector<Cause> lost_;
};

}  // namespace holdsfor
