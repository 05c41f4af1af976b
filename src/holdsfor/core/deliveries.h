// Rows on their way to the keys of a stage: what was pushed, and how the results of earlier stages have changed.
#pragma once

#include <vector>

#include "arrivals.h"
#include "interval_log.h"

namespace holdsfor {

// Initiations and terminations of a fluent of an earlier stage, for rules that read them: time, arguments and value.
struct EffectArrivals {
  Index table = 0;
  bool is_termination = false;
  RowSet rows;
  std::vector<bool> is_retraction;
  std::vector<Cause> causes;
};

// In the order of tables. Events of a table are in the order in which they came; of the others there is at most one
// entry for each table (and kind of effect).
struct Deliveries {
  std::vector<Arrivals> events;
  std::vector<IntervalArrivals> intervals;
  std::vector<EffectArrivals> effects;

  // Adds events behind those of the same table.
  void add(Arrivals arrivals);
  // The last events of a table, to which others can be added.
  Arrivals& events_of(Index table, std::size_t columns);
  IntervalArrivals& intervals_of(Index table, std::size_t columns);
  EffectArrivals& effects_of(Index table, bool is_termination, std::size_t columns);
  // Forgets the rows of some tables: what is known of them now comes from the stage that computes them.
  void drop(const std::vector<bool>& tables);
  void clear();
};

}  // namespace holdsfor
