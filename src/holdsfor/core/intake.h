// Takes in rows of events: finds the keys that they reach, and puts them into the logs of these keys.
//
// First all rows are grouped by key, without being copied. Then each key, on any thread, gets its own into its log.
#pragma once

#include <span>
#include <unordered_map>
#include <vector>

#include "edits.h"
#include "key_log.h"
#include "key_numbers.h"
#include "row_conditions.h"

namespace holdsfor {

// Rows of one table that count from now on, or cease to count, in the order in which they came. Each is its time and
// its arguments.
struct Arrivals {
  Index table = 0;
  RowSet rows;
  std::vector<bool> is_retraction;  // empty: none is
  std::vector<Cause> causes;        // empty: they have none
  bool is_counted = true;           // retractions of rows that are not there are counted
};

// The rows of one stage by key.
class Intake {
 public:
  // A row of some arrivals. The first key that a row reaches is its home: there it is counted.
  struct RowId {
    std::uint32_t arrivals : 16;
    std::uint32_t is_home : 1;
    std::uint32_t row_high : 15;
    std::uint32_t row_low;

    [[nodiscard]] std::size_t row() const { return std::size_t{row_high} << 32U | row_low; }
  };

  explicit Intake(const Stage& stage) : stage_(&stage) {}

  // Groups rows by key: tables without routes into the stage, and those that all keys share, are left out. The arrivals
  // are in the order of their tables, and must stay where they are.
  void group(std::span<const Arrivals> arrivals, KeyNumbers& keys);
  // Gives all rows of tables that all keys share to one group, whose key is kNone.
  void group_shared(std::span<const Arrivals> arrivals);

  // Keys that rows reach, in the order in which they were met.
  [[nodiscard]] std::size_t size() const { return keys_.size(); }
  [[nodiscard]] Index key(std::size_t group) const { return keys_[group]; }
  [[nodiscard]] std::span<const RowId> rows(std::size_t group) const {
    return {ids_.data() + begin_[group], begin_[group + 1] - begin_[group]};
  }
  [[nodiscard]] std::span<const Arrivals> arrivals() const { return arrivals_; }

 private:
  [[nodiscard]] const Route* route_of(Index table) const;
  void find_keys(const Arrivals& arrivals, const Route& route, KeyNumbers& keys, std::vector<Index>& found) const;

  const Stage* stage_;
  std::span<const Arrivals> arrivals_;
  std::vector<Index> keys_;
  std::vector<std::size_t> begin_;
  std::vector<RowId> ids_;
  std::vector<Index> group_of_;  // by key; kNone between two calls
};

// What a key's log has got.
struct Taken {
  Time first = kForever;      // the first time-point at which rows came or went
  std::size_t unmatched = 0;  // retractions of rows that were not there, counted where they are at home
};

// Puts rows into logs, one key after the other. One for each thread.
class LogWriter {
 public:
  LogWriter(const LogWidths& widths, const RowConditions& conditions, TermTable& terms)
      : widths_(widths), tester_(conditions, terms) {}

  // Takes the rows of a group into the log of its key. With `causes`, notes those that made a difference.
  Taken take_in(const Intake& intake, std::size_t group, Log& log, std::vector<Cause>* causes);

 private:
  // A row that is taken in.
  struct Entry {
    const Value* row = nullptr;  // time and arguments
    std::uint16_t table = 0;
    bool is_home = true;
    bool is_retraction = false;
    Cause cause = kNoCause;
  };

  static constexpr std::size_t kNoRow = SIZE_MAX;

  // Rows of one time and table at the end of what is written. Many are found by their hash.
  struct Run {
    static constexpr std::size_t kFewRows = 16;

    std::size_t from = 0;
    std::size_t width = 0;
    bool has_gaps = false;  // some have the count 0

    void begin(std::size_t at, std::size_t row_width);
    std::size_t find(std::span<const Value> args, const Value* cells, std::size_t end);
    void added(std::span<const Value> args, std::size_t at);

   private:
    std::unordered_multimap<std::uint64_t, std::size_t> rows_;
  };

  void gather(const Intake& intake, std::size_t group);
  void sort();
  void merge(Log& log, std::vector<Cause>* causes);
  void apply(const Entry& entry, Log& log, std::vector<Cause>* causes);
  void drop_gaps(const Log& log);
  Value* add(std::size_t width);

  const LogWidths& widths_;
  RowTester tester_;
  std::vector<Entry> entries_;
  std::vector<std::uint64_t> order_;  // of entries; empty if they are in order
  std::vector<std::uint64_t> spare_;
  std::vector<Value> out_;  // rows that are written, up to `end_`
  std::size_t end_ = 0;
  Run run_;
  Taken taken_;
};

}  // namespace holdsfor
