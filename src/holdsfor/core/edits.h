// Insertions and retractions that were pushed between two query times, in order.
#pragma once

#include <cstdint>
#include <vector>

#include "event_rows.h"
#include "interval_log.h"
#include "plan.h"
#include "rows.h"

namespace holdsfor {

// The number of an input row, which changes name as a cause.
using Cause = std::int64_t;
inline constexpr Cause kNoCause = -1;

// Columns of intervals; argument words are stored row after row. A point is reported point by point.
struct IntervalColumns {
  const Time* starts = nullptr;
  const Time* ends = nullptr;
  const std::uint64_t* values = nullptr;
  const std::uint64_t* words = nullptr;
  const bool* is_point = nullptr;
  std::size_t size = 0;
};

// Rows of one table from one push: events, or intervals as rows of an IntervalLog. Row i has the number `cause + i`.
struct Edit {
  Index table = 0;
  bool is_retraction = false;
  Cause cause = kNoCause;
  EventRows events;
  RowSet intervals;

  [[nodiscard]] std::size_t size() const { return events.size() + intervals.size(); }
  [[nodiscard]] Cause cause_of(std::size_t row) const {
    return cause == kNoCause ? kNoCause : cause + static_cast<Cause>(row);
  }
};

class Edits {
 public:
  // Event columns are read at the next `advance`. The lender must keep them unchanged until then.
  void add_events(Index table, bool is_retraction, Cause cause, EventRows rows);
  // Intervals are copied. A row has `width` arguments.
  void add_intervals(Index table, bool is_retraction, Cause cause, const IntervalColumns& columns, std::size_t width);
  // The edit to add an event to: the last one if the event continues it, otherwise a new one.
  Edit& edit_for_event(Index table, bool is_retraction, Cause cause, std::size_t columns);
  [[nodiscard]] std::vector<Edit>& all() { return edits_; }
  [[nodiscard]] const std::vector<Edit>& all() const { return edits_; }
  void clear() { edits_.clear(); }

 private:
  Edit* going_on(Index table, bool is_retraction, Cause cause);
  Edit& begin(Index table, bool is_retraction, Cause cause);

  std::vector<Edit> edits_;
};

}  // namespace holdsfor
