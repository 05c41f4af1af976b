// The intervals of input fluents and of fluents of earlier stages that one key has, row after row.
#pragma once

#include <bit>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "cell_buffer.h"
#include "plan.h"
#include "rows.h"

namespace holdsfor {

enum IntervalFlag : std::uint8_t {
  kIsPoint = 1,       // reported point by point: open while it is at the query time
  kIsCut = 2,         // it began before the window that first saw it: its start is no start
  kIsSettled = 4,     // the part behind the border of an interval that was retracted: nobody can retract it again
  kIsRetraction = 8,  // of rows on their way to a key
  kIsGone = 16,       // while rows are edited: it is no longer there
  kIsHome = 32,       // of retractions on their way: they are counted at this key if they find nothing
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

// Adds a row; `pair` is its value and arguments.
inline void put_interval(IntervalHead head, Time start, Time end, Time pushed_start, std::span<const Value> pair,
                         std::vector<Value>& into) {
  const std::size_t at = into.size();
  into.resize(at + head.width);
  Value* row = into.data() + at;
  row[0] = interval_head_cell(head);
  row[1] = time_cell(start);
  row[2] = time_cell(end);
  row[3] = time_cell(pushed_start);
  for (std::size_t i = 0; i < pair.size(); ++i) row[4 + i] = pair[i];
}

// The first time-point of a change that comes with the query time: a point is there, or was at the last one.
inline constexpr Time kLater = kForever - 1;

class IntervalLog {
 public:
  [[nodiscard]] bool empty() const { return cells().empty(); }
  [[nodiscard]] std::span<const Value> cells() const { return cells_.view(); }
  [[nodiscard]] std::size_t size() const;

  // Adds one row, or several.
  void insert(std::span<const Value> rows);
  // The rows of a log that was empty. They stay where they are until they change: nobody else writes there.
  void borrow(std::span<Value> rows, std::shared_ptr<CellBuffer> lender) { cells_.borrow(rows, std::move(lender)); }
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

  KeyCells cells_;
};

}  // namespace holdsfor
