// The state of one key of a stage between two query times.
#pragma once

#include <memory>

#include "checkpoint.h"
#include "effect_log.h"
#include "interval_log.h"
#include "key_log.h"
#include "results.h"

namespace holdsfor {

// A checkpoint after the first one, and the index of the first result that it does not settle.
struct LaterCheckpoint {
  Checkpoint checkpoint;
  std::size_t results = 0;
};

struct KeyState {
  // Input: events, intervals, and initiations and terminations of earlier stages (null: none).
  Log log;
  IntervalLog intervals;
  std::unique_ptr<EffectLog> effects;
  // The first checkpoint: the state just after its time. Earlier rows are dropped, unless rules look back to them.
  Checkpoint base;
  // In order. These checkpoints divide the time after `base` into segments, see key_segments.cpp. Rows before them can
  // still be added or removed.
  std::vector<LaterCheckpoint> later;
  Results results;
  // Intervals as they were last reported, see reports.h.
  std::vector<Value> reported;
  // Intervals that were settled and dropped from the results, but whose last report differs (null: none).
  std::unique_ptr<Results> unreported;
  // When the key must be evaluated even without new rows.
  Time wake = kForever;
  // Like `wake`, without evaluations whose only purpose is to drop rows.
  Time own_wake = kForever;
  std::uint32_t interval_cells = 0;  // after the last compaction
  // Nothing remains of the key: no rows, no pairs that hold, no pending effects.
  bool is_idle = false;
  bool is_forgotten = false;    // the slot is free, or the key is evaluated as part of a group
  bool may_fall_apart = false;  // for tied keys: rows were removed since the last test for a split
  Index report = kNone;         // index in the reports of the stage

  // Keeps only the results.
  void drop_input() {
    log = {};
    intervals = {};
    effects.reset();
    base = {};
    later.clear();
  }
};

}  // namespace holdsfor
