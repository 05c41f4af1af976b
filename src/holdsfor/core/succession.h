// What an engine with new rules takes over from one with earlier rules: states of keys up to a border, and rows.
//
// Up to the border things stay as the earlier rules found them; the new rules apply to the rows after it. Both plans
// may have other stages and keys: what is known of a table goes to the keys that it has now.
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

// How tables and delayed effects of an earlier plan are called now.
struct Heritage {
  std::vector<Index> table_of;                        // by earlier table; kNone: it is not there any more
  std::vector<bool> has_state;                        // by earlier table: what is known up to the border is taken
  std::map<std::pair<Index, Index>, Index> delay_of;  // by earlier table and number in its component
  bool is_main = true;  // what was reported, what waits and what was counted is taken, too
};

class Succession {
 public:
  using Key = std::vector<Value>;
  struct ByWords {
    bool operator()(const Key& one, const Key& other) const;
  };
  // What is known of a key.
  struct State {
    std::vector<SavedPhase> phases;
    std::vector<Value> reported;
  };

  // `border`: everything up to it is final; kNever: all rows are there.
  Succession(const Prepared& prepared, Time border);

  [[nodiscard]] Time border() const { return border_; }
  // The keys of a stage.
  [[nodiscard]] std::map<Key, State, ByWords>& keys(Index stage) { return keys_[stage]; }
  // The state of a key as a checkpoint at the border.
  [[nodiscard]] Checkpoint checkpoint(Index stage, State& state) const;
  // By table: what is known of it up to the border was taken over.
  [[nodiscard]] const std::vector<bool>& has_state() const { return has_state_; }
  void expect(const Heritage& how);
  // Hands on rows of some tables: input, or settled results that later stages look back to.
  void deliver(const std::vector<bool>& tables, Deliveries& into);

  // What a checkpoint at the border says of a key of a stage of an earlier plan.
  void add_checkpoint(const Prepared& earlier, Index stage, std::span<const Value> key, const Checkpoint& from,
                      const Heritage& how);
  void add_reported(const std::vector<Value>& reported, const Heritage& how);
  // Rows that a key, a part of keys or a stage has; `is_wanted` by earlier table.
  void add_log(const Plan& earlier, const Log& log, const LogWidths& widths, const std::vector<bool>& is_wanted,
               const Heritage& how);
  void add_intervals(const Plan& earlier, const IntervalLog& log, const std::vector<bool>& is_wanted,
                     const Heritage& how);
  void add_effects(const Plan& earlier, const EffectLog& log, const std::vector<bool>& is_wanted, const Heritage& how);

 private:
  // Where a table of the plan stands: in a stage, and there in a phase of its checkpoints, if it is in one.
  struct Home {
    Index stage = kNone;
    std::size_t phase = 0;
    std::size_t place = 0;
    bool is_saved = false;
  };
  // A pair of a checkpoint, and what has become of it.
  struct Heir {
    State* state = nullptr;
    Index number = kNone;
  };

  State& state_of(Index stage, const Key& key);
  // The key of a row of a table; that of its earlier key where the row leaves it open.
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
