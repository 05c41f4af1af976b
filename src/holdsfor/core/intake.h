// Takes in rows of events: finds the keys that they reach, and groups the rows by key.
#pragma once

#include <span>
#include <vector>

#include "arrivals.h"
#include "grouping.h"
#include "row_conditions.h"

namespace holdsfor {

// The event rows of one stage by key. They have the format of log rows but are not sorted. If rows have causes, the
// cell after each row is its cause.
class Intake : public Grouping {
 public:
  using Grouping::Grouping;

  // Groups rows by key. Skips tables without a route into the stage and tables that all keys share. The arrivals are
  // ordered by table; the caller does not need them afterwards.
  void group(std::span<const Arrivals> arrivals, KeyNumbers& keys, const IntakeCrew& crew,
             const KeyTies* ties = nullptr);
  // Puts all rows of tables that all keys share into one group, whose key is kNone.
  void group_shared(std::span<const Arrivals> arrivals, RowTester& tester);

 private:
  void begin(std::span<const Arrivals> arrivals, bool is_shared);
  void place(Range& range, RowTester& tester);
  void place_plain(const Block& block, std::span<const Passes> passes, Range& range);
  void put(const Arrivals& arrivals, std::size_t row, Passes passes, bool is_home, std::size_t& end);

  std::span<const Arrivals> arrivals_;  // during grouping
};

}  // namespace holdsfor
