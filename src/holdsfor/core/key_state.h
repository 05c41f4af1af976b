// All that is kept of one key of a stage between two query times.
#pragma once

#include <memory>

#include "checkpoint.h"
#include "effect_log.h"
#include "interval_log.h"
#include "key_log.h"
#include "results.h"

namespace holdsfor {

// A checkpoint after the first one, and where the results begin that it does not settle.
struct LaterCheckpoint {
  Checkpoint checkpoint;
  std::size_t results = 0;
};

struct KeyState {
  // Input: events, intervals, and initiations and terminations of earlier stages (null: none).
  Log log;
  IntervalLog intervals;
  std::unique_ptr<EffectLog> effects;
  // The state just after its time: what lies before is no longer there, unless rules look back to it.
  Checkpoint base;
  // In order: they part the time after the first one into segments, see key_segments.cpp. Rows may still come before
  // them, or go.
  std::vector<LaterCheckpoint> later;
  Results results;
  // Intervals as they were last reported, see reports.h.
  std::vector<Value> reported;
  // Intervals that are settled, and dropped from the results, but were reported otherwise (null: none).
  std::unique_ptr<Results> unreported;
  // When it must be evaluated again without new rows.
  Time wake = kForever;
  // The same, but for what is evaluated only to keep less.
  Time own_wake = kForever;
  std::uint32_t interval_cells = 0;  // after the last compaction
  // Nothing is left of it: no rows, and nothing that holds or will happen.
  bool is_idle = false;
  bool is_forgotten = false;    // its slot is free, or that of a key which is evaluated with others
  bool may_fall_apart = false;  // where keys are tied: rows have gone since that was looked at
  Index report = kNone;         // in the reports of its stage

  // Only the results are needed any more.
  void drop_input() {
    log = {};
    intervals = {};
    effects.reset();
    base = {};
    later.clear();
  }
};

}  // namespace holdsfor
