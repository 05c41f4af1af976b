// The intervals of input fluents and of fluents of earlier stages that one key has, row after row.
#pragma once

#include <bit>
#include <span>
#include <vector>

#include "plan.h"
#include "rows.h"

namespace holdsfor {

enum IntervalFlag : std::uint8_t {
  kIsPoint = 1,       // reported point by point: open while it is at the query time
  kIsCut = 2,         // it began before the window that first saw it: its start is no start
  kIsSettled = 4,     // the part behind the border of an interval that was retracted: nobody can retract it again
  kIsRetraction = 8,  // of rows on their way to a key
  kIsGone = 16,       // while rows are edited: it is no longer there
};

struct IntervalHead {
  std::uint16_t table = 0;
  std::uint8_t flags = 0;
  std::uint8_t unused = 0;
  std::uint32_t width = 0;  // of the whole row

  [[nodiscard]] bool has(IntervalFlag flag) const { return (flags & flag) != 0; }
};

// A row: its head, start, end, the start that it was pushed with, value and arguments.
inline constexpr std::size_t kIntervalRowHead = 5;

inline Value interval_head_cell(IntervalHead head) { return Value::from_word(std::bit_cast<std::uint64_t>(head)); }
inline IntervalHead interval_head(const Value* row) { return std::bit_cast<IntervalHead>(row[0].word()); }

// The first time-point of a change that comes with the query time: a point is there, or was at the last one.
inline constexpr Time kLater = kForever - 1;

// Rows of one table on their way to keys, with the numbers of the inputs that they are.
struct IntervalArrivals {
  Index table = 0;
  RowSet rows;
  std::vector<std::int64_t> causes;
  bool is_input = true;  // else they are results of an earlier stage
  bool has_retractions = false;

  void add(IntervalHead head, Time start, Time end, Time pushed_start, std::span<const Value> pair, std::int64_t cause);
  // So many more rows are about to come.
  void expect(std::size_t more);
  // The first time-point at which a row makes a difference. A result that ends otherwise than before comes as two rows,
  // which have what lies before both ends in common.
  [[nodiscard]] Time first_change(std::size_t row) const;
};

class IntervalLog {
 public:
  [[nodiscard]] bool empty() const { return cells_.empty(); }
  [[nodiscard]] const std::vector<Value>& cells() const { return cells_; }
  [[nodiscard]] std::size_t size() const;

  // Adds one row, or several.
  void insert(std::span<const Value> rows);
  // So many rows as this one are about to come.
  void expect(std::size_t rows, const Value* row) { cells_.reserve(cells_.size() + rows * interval_head(row).width); }
  // Inserts a row that comes, or takes one back as far as it lies at `first` or later; false if there is none.
  bool take(const Value* row, Time first);
  // Takes back the time-points of an interval from `first` on, whatever intervals have them. False if none has any.
  bool retract(const Value* row, Time first);
  // Drops intervals that ended `keep` (by table) before `time` + 1, unless they go on in others. Those that end there
  // or before, so that nobody can take them back any more, become one where they touch.
  void settle(Time time, std::span<const Time> keep);
  // How many cells intervals have that ended `keep` (by table) before `time` + 1.
  [[nodiscard]] std::size_t cells_behind(Time time, std::span<const Time> keep) const;
  // The end of the last interval; kNever if there is none.
  [[nodiscard]] Time last_end() const;
  // The last start or end up to a time; kNever if there is none.
  [[nodiscard]] Time last_edge(Time until) const;
  // Times of rational time-lines with so many times the ticks.
  void refine(Time factor);
  // When a point is at the query time, or was: kForever if there is nothing to wait for.
  [[nodiscard]] Time wake(Time query) const;

 private:
  friend class IntervalEditor;

  // Whether a row is about the same pair as another, and has time-points of some.
  static bool meets(const Value* known, const Value* row, Time from, Time until);
  // Adds what a row has from a time-point on.
  static void put_rest(const Value* known, Time from, std::vector<Value>& into);
  [[nodiscard]] std::vector<Value*> by_pair();

  std::vector<Value> cells_;
};

}  // namespace holdsfor
