// The intervals of one key from input fluents and from fluents of earlier stages, row after row.
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
  kIsPoint = 1,       // reported point by point: open while the point is at the query time
  kIsCut = 2,         // began before the window that first saw it: its start is not a start event
  kIsRetraction = 8,  // for rows on the way to a key
  kIsGone = 16,       // during an edit: the row is removed
  kIsHome = 32,       // for retractions on the way: counted at this key if they find nothing
};

struct IntervalHead {
  std::uint16_t table = 0;
  std::uint8_t flags = 0;
  std::uint8_t unused = 0;
  std::uint32_t width = 0;  // of the whole row, in cells

  [[nodiscard]] bool has(IntervalFlag flag) const { return (flags & flag) != 0; }
};

// Cells of a row before its arguments: head, start, end, pushed start, value.
inline constexpr std::size_t kIntervalRowHead = 5;

inline Value interval_head_cell(IntervalHead head) { return Value::from_word(std::bit_cast<std::uint64_t>(head)); }
inline IntervalHead interval_head(const Value* row) { return std::bit_cast<IntervalHead>(row[0].word()); }

// Appends a row; `pair` is its value and arguments.
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

// The first time-point of a change that the query time causes: a point is at this query time, or was at the last one.
inline constexpr Time kLater = kForever - 1;

class IntervalLog {
 public:
  [[nodiscard]] bool empty() const { return cells().empty(); }
  [[nodiscard]] std::span<const Value> cells() const { return cells_.view(); }
  [[nodiscard]] std::size_t size() const;

  // Appends one or several rows.
  void insert(std::span<const Value> rows);
  // Takes rows into an empty log without a copy. They stay in the lender until they change; no other key writes there.
  void borrow(std::span<Value> rows, std::shared_ptr<CellBuffer> lender) { cells_.borrow(rows, std::move(lender)); }
  // Retracts the time-points of an interval from `first` on, from every interval of its pair. False if none had any of
  // them.
  bool retract(const Value* row, Time first);
  // Drops maximal intervals with end <= `time` - `keep[table]`. Of the others, intervals with end <= `time` cannot be
  // retracted any more: those that touch are joined.
  void settle(Time time, std::span<const Time> keep);
  // Cells of the intervals with end <= `time` - `keep[table]`.
  [[nodiscard]] std::size_t cells_behind(Time time, std::span<const Time> keep) const;
  // The end of the last interval; kNever without intervals.
  [[nodiscard]] Time last_end() const;
  // The last start or end up to a time; kNever if there is none.
  [[nodiscard]] Time last_edge(Time until) const;
  // Multiplies the times of rational time-lines, so that a time unit has `factor` times as many ticks.
  void refine(Time factor);
  // When a point is, or was, at the query time. kForever without such points.
  [[nodiscard]] Time wake(Time query) const;

 private:
  friend class IntervalEditor;

  // Whether two rows have the same pair, and `known` overlaps the given time-points.
  static bool meets(const Value* known, const Value* row, Time from, Time until);
  // Appends the part of a row from a time-point on.
  static void put_rest(const Value* known, Time from, std::vector<Value>& into);
  [[nodiscard]] std::vector<Value*> by_pair();

  KeyCells cells_;
};

}  // namespace holdsfor
