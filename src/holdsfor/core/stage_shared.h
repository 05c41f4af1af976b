// The tables that all keys of a stage read whole.
#pragma once

#include "stage_store.h"

namespace holdsfor {

struct StageStore::Shared {
  Shared(const Prepared& prepared, const Stage& stage, TermTable& terms, Host& host)
      : world(prepared, terms, host),
        sweep(world),
        intake(stage),
        intervals(stage),
        is_shared(prepared.plan.tables.size()) {}

  World world;
  Sweep sweep;
  Intake intake;
  IntervalIntake intervals;
  KeyState state;
  std::vector<bool> is_shared;  // by table
  std::vector<Index> fluents;
  Time counted_at = kNever;  // the border when intervals behind it were last counted
  bool is_stale = true;      // the world does not have the rows of the state

  [[nodiscard]] bool has_rows() const {
    return !state.log.empty() || !state.intervals.empty() || (state.effects && !state.effects->empty());
  }
};

}  // namespace holdsfor
