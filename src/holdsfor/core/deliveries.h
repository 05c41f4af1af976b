// Rows on the way to the keys of a stage: pushed rows, and differences in the results of earlier stages.
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

// Ordered by table. Events of a table are in order of arrival. Intervals have at most one entry for each table, effects
// one for each table and kind.
struct Deliveries {
  std::vector<Arrivals> events;
  std::vector<IntervalArrivals> intervals;
  std::vector<EffectArrivals> effects;

  // Adds events after those of the same table.
  void add(Arrivals arrivals);
  // The last entry of a table, to which events can be added.
  Arrivals& events_of(Index table, std::size_t columns);
  IntervalArrivals& intervals_of(Index table, std::size_t columns);
  EffectArrivals& effects_of(Index table, bool is_termination, std::size_t columns);
  // Drops the rows of some tables. From now on the stage that computes these tables delivers them.
  void drop(const std::vector<bool>& tables);
  void clear();
};

}  // namespace holdsfor
