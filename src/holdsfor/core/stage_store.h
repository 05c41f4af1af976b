// The keys of one stage: their state, and the work of a query time.
#pragma once

#include <functional>
#include <memory>
#include <queue>
#include <unordered_map>
#include <utility>
#include <vector>

#include "deliveries.h"
#include "interval_intake.h"
#include "key_state_io.h"
#include "key_ties.h"
#include "log_writer.h"
#include "part_store.h"
#include "prefetch.h"
#include "reports.h"
#include "sweep.h"
#include "window.h"

namespace holdsfor {

class StageStore {
 public:
  StageStore(const Prepared& prepared, Index number, TermTable& terms, Host& host);
  ~StageStore();
  StageStore(StageStore&&) noexcept;
  StageStore(const StageStore&) = delete;
  StageStore& operator=(const StageStore&) = delete;
  StageStore& operator=(StageStore&&) = delete;

  // A key to evaluate, with its new rows: a group of events, a group of intervals, and ranges of effects and parts.
  struct Work {
    Index slot = 0;
    Index group = kNone;
    Index interval_group = kNone;
    std::uint32_t effects_from = 0, effects_to = 0;
    std::uint32_t parts_from = 0, parts_to = 0;
    Time first_change = kForever;  // of rows that it reads by partial key
    bool is_compacted = false;  // it must have a checkpoint at the border, because rows that it reads are dropped there
  };
  struct EffectItem {
    Index slot = 0;
    const EffectArrivals* arrivals = nullptr;
    std::size_t row = 0;
  };

  // A part of a key with new rows.
  struct PartItem {
    Index slot = 0;
    const PartStore::Touched* value = nullptr;
  };

  // Selects the keys of this store, if other stores have the rest. Rows with several keys may arrive with foreign keys.
  using IsOwn = std::function<bool(std::span<const Value>)>;
  void set_own(IsOwn is_own) { is_own_ = std::move(is_own); }
  // Assigns initial pairs of the stage's fluents to their keys. All keys become dirty, unless `are_known`: then a saved
  // state supplied their results.
  void begin(std::span<const GroundPair> initial, bool are_known);
  // Ties keys as rows require. Returns the groups with a state each that become one group: the slots of these states,
  // and the root of the group. `finish_joining` sets the joined state.
  struct Joining {
    Index root = 0;
    std::vector<Index> slots;
  };
  [[nodiscard]] std::vector<Joining> tie_keys(const Deliveries& deliveries);
  // The state of `slot` becomes the state of the group.
  void finish_joining(const Joining& joining, Index slot);
  // Tests whether the remaining rows still tie all keys of a group, after rows were removed. If not, splits the group,
  // and forgets keys that nothing mentions.
  void part_group(Index slot, const LogWidths& widths);
  // Finds the work of a query time: the keys that rows reach and the keys that wake. The rows must not move until the
  // evaluation. `crew` groups events. `is_home` by table: retractions of its rows are counted in this stage.
  void deliver(const Deliveries& deliveries, const Window& window, Time query, Time border, LogWriter& writer,
               const IntakeCrew& crew, const LogWidths& widths, const std::vector<bool>& is_home);

  // Drops the incoming rows. All keys have been evaluated for the last time.
  void drop_rows();

  [[nodiscard]] std::span<const Work> work() const { return work_; }
  [[nodiscard]] std::span<const EffectItem> effects(const Work& work) const {
    return std::span(effect_items_).subspan(work.effects_from, work.effects_to - work.effects_from);
  }
  [[nodiscard]] std::span<const PartItem> parts(const Work& work) const {
    return std::span(part_items_).subspan(work.parts_from, work.parts_to - work.parts_from);
  }
  [[nodiscard]] std::span<const Cause> causes(const PartItem& item) const { return parts_->causes(*item.value); }
  [[nodiscard]] const Intake& intake() const { return intake_; }
  [[nodiscard]] const IntervalIntake& intervals() const { return intervals_; }
  // The first time-point of a change that affects all keys; kForever without such a change.
  [[nodiscard]] Time first_change() const { return first_change_; }
  // Whether results before a checkpoint stay as they are unless rows before it change. Then sweeps can resume there.
  [[nodiscard]] bool can_resume() const { return can_resume_; }
  // How long before a checkpoint rules look back to events; kForever: without limit.
  [[nodiscard]] Time event_keep() const { return event_keep_; }

  [[nodiscard]] KeyState& state(Index slot) { return states_[slot]; }
  [[nodiscard]] const KeyState& state(Index slot) const { return states_[slot]; }
  [[nodiscard]] std::size_t slots() const { return states_.size(); }
  // Prefetches a key that is evaluated or reported soon, then its rows, and the checkpoint that its sweep resumes from.
  void fetch_state(Index slot) const { prefetch(&states_[slot], sizeof(KeyState)); }
  void fetch_rows(Index slot) const;
  void fetch_checkpoint(Index slot) const;
  void fetch_reported(Index slot) const;
  [[nodiscard]] const KeyNumbers& keys() const { return keys_; }
  [[nodiscard]] bool is_tied() const { return ties_.is_needed(); }
  // The group of a key.
  [[nodiscard]] Index group_of(Index slot) const { return ties_.root(slot); }
  [[nodiscard]] std::span<const GroundPair> initial(Index slot) const;
  // The rows that all keys share; null if there are no such tables.
  [[nodiscard]] const KeyState* shared_state() const;
  // Multiplies times for finer ticks of rational time. `carried`: the widths of the tables that slices carry over.
  void refine(Time factor, const std::vector<Index>& carried);
  // The rows that keys read by their parts; null if there are no such tables.
  [[nodiscard]] const PartStore* parts() const { return parts_.get(); }
  void set_wake(Index slot, Time time);

  // How long rows are kept behind a checkpoint, by table.
  [[nodiscard]] std::span<const Time> keep() const { return keep_; }
  // The longest finite retention.
  [[nodiscard]] Time longest_keep() const { return longest_keep_; }
  [[nodiscard]] const std::vector<std::uint64_t>& empty_checkpoint() const { return empty_checkpoint_; }
  void set_empty_checkpoint(std::vector<std::uint64_t> words) { empty_checkpoint_ = std::move(words); }
  // Drops shared rows before the border. Call after keys have got checkpoints there.
  void finish_compaction(const Window& window, Time query, const LogWidths& widths);
  // Adds a key from an earlier engine, with its state.
  void adopt(std::span<const Value> key, Checkpoint base, std::vector<Value> reported);
  // Lets keys without a checkpoint begin at `time` with an empty state, except keys with initial pairs whose current
  // state is unknown: `is_known` by table.
  void begin_at(Time time, const std::vector<bool>& is_known);
  // Marks the keys with reported intervals for a new report.
  void report_adopted();
  // Forgets an idle key.
  void forget(Index slot);

  // Writes the keys of these slots, the rows by parts of wanted keys, and with `is_main` the shared rows; see
  // state_io.h.
  using IsWanted = std::function<bool(std::span<const Value>)>;
  using CausesOf = std::function<std::span<const Cause>(Index report)>;
  void write(StateWriter& into, const LogWidths& widths, bool is_main, const std::vector<Index>& slots,
             const IsWanted& is_wanted, const CausesOf& causes_of) const;
  // The slots of wanted keys.
  [[nodiscard]] std::vector<Index> slots_of(const IsWanted& is_wanted) const;
  void read(StateReader& from, const LogWidths& widths);
  // Refuses keys that both stores have, and shared rows if both stores have some.
  void check_merge(const StageStore& other) const;
  // Removes from another store the keys that are not its own here, and shared rows that this store has as well.
  void drop_others(StageStore& other) const;
  // The next time at which a key is due without new rows.
  [[nodiscard]] Time next_wake();
  // Takes over the keys of another store.
  void absorb(StageStore& other);

  [[nodiscard]] const Stage& stage() const { return stage_; }
  [[nodiscard]] Index number() const { return number_; }
  // Sets the properties that the evaluations of all keys share.
  void prepare(World& world, Time query) const;
  // Loads the rows of a key and of its parts into a world. `scratch` must stay unchanged during the evaluation.
  void load(World& world, Sweep& sweep, Index slot, const LogWidths& widths, std::vector<Value>& scratch) const;
  // Resets a world to that of a key without rows.
  void load_nothing(World& world, Sweep& sweep) const;

  Reports reports;
  [[nodiscard]] std::size_t unmatched() const { return unmatched_ + (parts_ ? parts_->unmatched() : 0); }
  // Resets the row conditions of all rows to unknown.
  void forget_conditions(const LogWidths& widths);
  void mark_terms(TermMarks& marks) const;
  // The number of input rows.
  [[nodiscard]] std::size_t rows(const LogWidths& widths) const;

 private:
  // The tables that all keys read whole.
  struct Shared;

  void find_routes();
  // Updates the tables that all keys share. Returns the first time-point that has changed.
  [[nodiscard]] Time deliver_shared(const Deliveries& deliveries, const Window& window, Time query, LogWriter& writer,
                                    const std::vector<bool>& is_home);
  void find_effect_items(const std::vector<EffectArrivals>& arrivals);
  void tie_events(const Arrivals& arrivals);
  void tie_row(const Route& route, const Value* args);
  [[nodiscard]] bool has_state(Index slot) const;
  void move_state(Index from, Index to);
  class GroupParts;
  [[nodiscard]] bool is_used(Index slot) const;
  void write_parts(StateWriter& into, const LogWidths& widths, const IsWanted& is_wanted) const;
  void write_others(StateWriter& into, Index slot) const;
  void read_others(StateReader& from, Index slot);
  void absorb_others(const StageStore& other, Index slot, Index own);
  template <typename Add>
  void for_keys(const Route& route, const Value* args, const Add& add);
  Work& work_of(Index slot);
  void plan_shared_compaction(const Window& window, Time border, const LogWidths& widths);
  void put_work_together(Time query, bool is_all);
  void drop_foreign_work();
  [[nodiscard]] bool is_own(std::span<const Value> key) const { return !is_own_ || is_own_(key); }
  void add_part_work();
  static void load_intervals(World& world, const IntervalLog& intervals);
  void load_rows(World& world, Sweep& sweep, const KeyState& state, std::span<const Index> fluents) const;
  void finish_input(World& world, Sweep& sweep, Index table) const;

  const Prepared& prepared_;
  const Stage& stage_;
  Index number_;
  KeyNumbers keys_;
  KeyTies ties_;
  std::vector<KeyState> states_;
  std::unordered_map<Index, std::vector<GroundPair>> initial_;  // by slot
  std::vector<GroundPair> all_initial_;
  bool is_all_dirty_ = false;
  IsOwn is_own_;  // empty: all keys

  std::vector<Time> keep_;
  Time longest_keep_ = 0;
  Time event_keep_ = 0;
  bool can_resume_ = false;
  Time first_change_ = kForever;
  std::vector<std::uint64_t> empty_checkpoint_;
  bool compacts_all_ = false;
  Time border_ = kNever;

  std::vector<const Route*> route_of_;  // by table; null: the stage does not read it
  std::vector<Index> input_fluents_;    // without shared tables
  std::vector<std::vector<Index>> key_places_;
  bool has_foreign_rows_ = false;
  std::unique_ptr<Shared> shared_;
  std::unique_ptr<PartStore> parts_;

  Intake intake_;
  IntervalIntake intervals_;
  std::vector<EffectItem> effect_items_;
  std::vector<PartItem> part_items_;
  std::vector<Work> work_;
  std::vector<Index> work_of_;  // by slot: index in `work_` while it is assembled, otherwise kNone
  std::vector<Index> slots_of_row_;
  std::vector<Index> numbers_;  // of keys that rows tie
  std::vector<Value> key_;
  std::size_t unmatched_ = 0;

  using Waking = std::pair<Time, Index>;
  std::priority_queue<Waking, std::vector<Waking>, std::greater<>> waking_;
};

void take_effect(KeyState& state, const EffectArrivals& arrivals, std::size_t row);

}  // namespace holdsfor
