// A swap of rules: the state that an engine with new rules takes over from one with earlier rules.
//
// Up to the border, everything stays as the earlier rules found it. The new rules apply to the rows after the border.
// The plans may have different stages and keys: the state of a table goes to the keys that the table has in the new
// plan.
#pragma once

#include <map>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "checkpoint_contents.h"
#include "deliveries.h"
#include "key_state.h"
#include "log_writer.h"

namespace holdsfor {

// Maps tables and delayed effects of an earlier plan to the new plan.
struct Heritage {
  std::vector<Index> table_of;                        // by earlier table; kNone: the table no longer exists
  std::vector<bool> has_state;                        // by earlier table: its state up to the border is taken over
  std::map<std::pair<Index, Index>, Index> delay_of;  // by earlier table and number in its component
  bool is_main = true;                                // reports, waiting rows and counts are taken over, too
};

class Succession {
 public:
  using Key = std::vector<Value>;
  struct ByWords {
    bool operator()(const Key& one, const Key& other) const;
  };
  // The state of a key.
  struct State {
    std::vector<SavedPhase> phases;
    std::vector<Value> reported;
  };

  // `border`: everything up to it is final; kNever: all rows are available.
  Succession(const Prepared& prepared, Time border);

  [[nodiscard]] Time border() const { return border_; }
  // The keys of a stage.
  [[nodiscard]] std::map<Key, State, ByWords>& keys(Index stage) { return keys_[stage]; }
  // The state of a key as a checkpoint at the border.
  [[nodiscard]] Checkpoint checkpoint(Index stage, State& state) const;
  // By table: whether its state up to the border was taken over.
  [[nodiscard]] const std::vector<bool>& has_state() const { return has_state_; }
  void expect(const Heritage& how);
  // Delivers rows of some tables: input, or settled results that later stages look back to.
  void deliver(const std::vector<bool>& tables, Deliveries& into);

  // Adds a checkpoint at the border for a key of a stage of an earlier plan.
  void add_checkpoint(const Prepared& earlier, Index stage, std::span<const Value> key, const Checkpoint& from,
                      const Heritage& how);
  void add_reported(const std::vector<Value>& reported, const Heritage& how);
  // Adds the rows of a key, a value of a part, or a stage; `is_wanted` by earlier table.
  void add_log(const Plan& earlier, const Log& log, const LogWidths& widths, const std::vector<bool>& is_wanted,
               const Heritage& how);
  void add_intervals(const Plan& earlier, const IntervalLog& log, const std::vector<bool>& is_wanted,
                     const Heritage& how);
  void add_effects(const Plan& earlier, const EffectLog& log, const std::vector<bool>& is_wanted, const Heritage& how);

 private:
  // The location of a table in the plan: its stage, and its phase in checkpoints, if it is saved.
  struct Home {
    Index stage = kNone;
    std::size_t phase = 0;
    std::size_t place = 0;
    bool is_saved = false;
  };
  // A pair of a checkpoint, and its location in the new state.
  struct Heir {
    State* state = nullptr;
    Index number = kNone;
  };

  State& state_of(Index stage, const Key& key);
  // The key of a row of a table. Columns of the key that the row leaves open come from the earlier key.
  [[nodiscard]] Key key_of(Index table, const Value* columns, std::span<const Value> earlier) const;
  void add_table(const SavedTable& saved, Index table, std::span<const Value> key, std::vector<Heir>& heirs);
  void add_rows(const RowSet& rows, RowSet SavedTable::* into, Index table, std::span<const Value> key);
  [[nodiscard]] static bool is_taken(const Plan& earlier, Index table, const Heritage& how);

  const Prepared& prepared_;
  Time border_;
  std::vector<Home> homes_;  // by table
  std::vector<std::map<Key, State, ByWords>> keys_;
  std::vector<bool> has_state_;
  Deliveries rows_;
  std::set<Key, ByWords> known_rows_;  // intervals and effects: a row may have several keys
};

}  // namespace holdsfor
