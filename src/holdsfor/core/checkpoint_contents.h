// Converts checkpoints to plain data, table by table, and back to words.
#pragma once

#include <span>
#include <vector>

#include "checkpoint.h"
#include "prepared.h"
#include "rows.h"

namespace holdsfor {

struct SavedPair {
  Index instance = 0;
  Value value;
  Time since = kForever;
  Time last_effective = kNever;
  std::uint64_t flags = 0;
  Intervals list;
};

// The content of a checkpoint for one table: rows of an event, or pairs of a fluent, with the effects on it if rules
// read them.
struct SavedTable {
  Index table = 0;
  RowSet rows;
  std::vector<std::vector<Value>> instances;
  std::vector<SavedPair> pairs;
  RowSet initiations, terminations;
};

struct SavedAttempt {
  Time due = 0;
  Index table = 0;
  Index trigger = 0;  // a pair
  Time initiated = 0;
  std::uint64_t is_postponable = 0;
  std::uint64_t rule = 0;
  std::vector<Value> effect;
};

struct SavedPhase {
  std::vector<SavedTable> tables;
  std::uint64_t in_a_row = 0;
  std::vector<SavedAttempt> attempts;

  SavedTable& of(Index table) {
    return *std::find_if(tables.begin(), tables.end(), [&](const SavedTable& one) { return one.table == table; });
  }
};

// Reads and writes the words that Sweep saves for a stage: see sweep_state.cpp.
class CheckpointContents {
 public:
  CheckpointContents(const Prepared& prepared, Index stage) : prepared_(prepared), stage_(stage) {}

  // Reads phase by phase. Phases that are computed again have no content in a checkpoint.
  [[nodiscard]] std::vector<SavedPhase> read(const Checkpoint& from) const;
  // The phases of a key without any state.
  [[nodiscard]] std::vector<SavedPhase> nothing() const;
  // Sorts pairs and instances into the order of a checkpoint.
  [[nodiscard]] Checkpoint write(Time time, std::span<SavedPhase> phases) const;

  // The positions of the key in the rows of a table of the stage.
  [[nodiscard]] const std::vector<Index>& key_places(Index table) const;
  // The position for keys of one column.
  [[nodiscard]] Index key_place(Index table) const { return key_places(table)[0]; }

 private:
  template <typename Visit>
  void for_phases(const Visit& visit) const;
  [[nodiscard]] bool has_effects(const Phase& phase, Index table) const;
  [[nodiscard]] SavedTable no_rows(const Phase& phase, Index table) const;
  [[nodiscard]] SavedPhase read_phase(CheckpointReader& from, const Phase& phase) const;
  [[nodiscard]] SavedAttempt read_attempt(CheckpointReader& from, const Phase& phase, SavedPhase& known) const;
  void write_phase(CheckpointWriter& into, const Phase& phase, SavedPhase& from) const;

  const Prepared& prepared_;
  Index stage_;
};

}  // namespace holdsfor
