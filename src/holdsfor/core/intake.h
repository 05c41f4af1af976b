// Takes in rows of events: finds the keys that they reach, and puts the rows of each key together.
#pragma once

#include <span>
#include <vector>

#include "arrivals.h"
#include "grouping.h"
#include "row_conditions.h"

namespace holdsfor {

// The rows of one stage by key. They are rows of logs already, but not in order; behind each is its cause, if rows have
// causes.
class Intake : public Grouping {
 public:
  using Grouping::Grouping;

  // Groups rows by key. Tables without a route into the stage, and those that all keys share, are left out. The
  // arrivals are in the order of their tables; they are not needed any more afterwards.
  void group(std::span<const Arrivals> arrivals, KeyNumbers& keys, const IntakeCrew& crew,
             const KeyTies* ties = nullptr);
  // Gives all rows of tables that all keys share to one group, whose key is kNone.
  void group_shared(std::span<const Arrivals> arrivals, RowTester& tester);

 private:
  void begin(std::span<const Arrivals> arrivals, bool is_shared);
  void place(Range& range, RowTester& tester);
  void place_plain(const Block& block, std::span<const Passes> passes, Range& range);
  void put(const Arrivals& arrivals, std::size_t row, Passes passes, bool is_home, std::size_t& end);

  std::span<const Arrivals> arrivals_;  // while they are grouped
};

}  // namespace holdsfor
