// Takes in rows of intervals: finds the keys that they reach, and groups the rows by key.
#pragma once

#include <span>
#include <vector>

#include "arrivals.h"
#include "grouping.h"
#include "interval_log.h"
#include "intervals.h"

namespace holdsfor {

// The interval rows of one stage by key, in the format of an IntervalLog. If rows have causes, the cell after each row
// is its cause.
class IntervalIntake : public Grouping {
 public:
  using Grouping::Grouping;

  // Groups rows by key, as Intake does. `is_home` by table: retractions of its rows are counted here.
  void group(std::span<const IntervalArrivals> arrivals, const std::vector<bool>& is_home, KeyNumbers& keys,
             const IntakeCrew& crew, const KeyTies* ties = nullptr);
  // Puts all rows of tables that all keys share into one group, whose key is kNone.
  void group_shared(std::span<const IntervalArrivals> arrivals, const std::vector<bool>& is_home);

  // Whether rows of a table are input rather than results of an earlier stage.
  [[nodiscard]] bool is_input(Index table) const { return is_input_[table]; }
  // Whether a group contains retractions.
  [[nodiscard]] bool takes_back(std::size_t group) const;
  // Calls `use` for each row of a group, with the first time-point that the row affects. A result whose end has changed
  // arrives as two rows, an insertion and a retraction. They have no effect before the earlier of the two ends.
  template <typename Use>
  void for_rows(std::size_t group, const Use& use) const {
    const std::span<const Value> rows = this->rows(group);
    const auto more = static_cast<std::size_t>(has_causes());
    const bool may_be_two = takes_back(group);
    std::size_t from = 0;  // the first row of a table
    for (std::size_t at = 0; at < rows.size(); at += interval_head(&rows[at]).width + more) {
      if (interval_head(&rows[at]).table != interval_head(&rows[from]).table) from = at;
      // Its start event is at the time-point before.
      use(&rows[at], may_be_two ? first_change(rows, from, at) : moved(time_of(rows[at + 1]), -1));
    }
  }
  // The cause of a grouped row.
  [[nodiscard]] Cause cause(const Value* row) const {
    return has_causes() ? static_cast<Cause>(row[interval_head(row).width].word()) : kNoCause;
  }

 private:
  void begin(std::span<const IntervalArrivals> arrivals, const std::vector<bool>& is_home, bool is_shared);
  void place(Range& range);
  void place_plain(const Block& block, Range& range);
  void put(const IntervalArrivals& arrivals, std::size_t row, bool is_home, std::size_t& end);
  [[nodiscard]] Time first_change(std::span<const Value> rows, std::size_t from, std::size_t at) const;

  std::vector<bool> is_input_;                  // by table
  std::span<const IntervalArrivals> arrivals_;  // during grouping
  const std::vector<bool>* is_home_ = nullptr;
};

}  // namespace holdsfor
