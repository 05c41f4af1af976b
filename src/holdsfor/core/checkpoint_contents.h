// What a checkpoint has, table by table: its words as plain data, and such data as words.
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

// What a checkpoint has of a table: rows of an event, or pairs of a fluent with the effects on it, if rules read them.
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

  // Phase by phase; those that are computed again have nothing in a checkpoint.
  [[nodiscard]] std::vector<SavedPhase> read(const Checkpoint& from) const;
  // The same of a key of which nothing is known.
  [[nodiscard]] std::vector<SavedPhase> nothing() const;
  // Pairs and instances are put into the order that they have in a checkpoint.
  [[nodiscard]] Checkpoint write(Time time, std::span<SavedPhase> phases) const;

  // Where the key stands in the rows of a table of the stage.
  [[nodiscard]] const std::vector<Index>& key_places(Index table) const;
  // The same for keys of one column.
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
