// The keys of one stage: what is kept of them, and which of them are to be evaluated.
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

  // A key that is to be evaluated, with the rows that it gets: groups of events and intervals, and ranges of the
  // others.
  struct Work {
    Index slot = 0;
    Index group = kNone;
    Index interval_group = kNone;
    std::uint32_t effects_from = 0, effects_to = 0;
    std::uint32_t parts_from = 0, parts_to = 0;
    Time first_change = kForever;  // of rows that it reads by parts of its key
    bool is_compacted = false;     // it is to have a checkpoint at the border: rows that it reads are dropped there
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

  // Which keys belong to this store, if others have the rest: rows that reach several keys may come with others.
  using IsOwn = std::function<bool(std::span<const Value>)>;
  void set_own(IsOwn is_own) { is_own_ = std::move(is_own); }
  // Initial pairs: those of the stage's fluents go to their keys. All keys are evaluated again, unless they
  // `are_known`: their results are those that they had when the state was saved.
  void begin(std::span<const GroundPair> initial, bool are_known);
  // Ties keys as rows say. Groups with a state each that become one: the slots of these states, and the root of the
  // group, which gets the joined state by `finish_joining`.
  struct Joining {
    Index root = 0;
    std::vector<Index> slots;
  };
  [[nodiscard]] std::vector<Joining> tie_keys(const Deliveries& deliveries);
  // All states are joined in that of a slot.
  void finish_joining(const Joining& joining, Index slot);
  // Looks whether something still ties all keys of a group, now that rows have gone: else its keys become several
  // groups, and keys that nothing mentions are forgotten.
  void part_group(Index slot, const LogWidths& widths);
  // Finds the keys that rows reach, and with those that wake all that are to be evaluated at a query time. The rows
  // must stay where they are until then. `crew` groups events. `is_home` by table: retractions of its rows are counted
  // in this stage.
  void deliver(const Deliveries& deliveries, const Window& window, Time query, Time border, LogWriter& writer,
               const IntakeCrew& crew, const LogWidths& widths, const std::vector<bool>& is_home);

  // Drops the rows that came: all keys have been evaluated for the last time.
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
  // The first time-point at which something has changed for all keys: kForever if nothing has.
  [[nodiscard]] Time first_change() const { return first_change_; }
  // Whether what lies behind a checkpoint stays as it is, unless rows before it change.
  [[nodiscard]] bool can_resume() const { return can_resume_; }
  // For how long before a checkpoint rules look back to events; kForever: without limit.
  [[nodiscard]] Time event_keep() const { return event_keep_; }

  [[nodiscard]] KeyState& state(Index slot) { return states_[slot]; }
  [[nodiscard]] const KeyState& state(Index slot) const { return states_[slot]; }
  [[nodiscard]] std::size_t slots() const { return states_.size(); }
  // Fetches a key that is evaluated or reported soon, then its rows, and the checkpoint that it goes on from.
  void fetch_state(Index slot) const { prefetch(&states_[slot], sizeof(KeyState)); }
  void fetch_rows(Index slot) const;
  void fetch_checkpoint(Index slot) const;
  void fetch_reported(Index slot) const;
  [[nodiscard]] const KeyNumbers& keys() const { return keys_; }
  [[nodiscard]] bool is_tied() const { return ties_.is_needed(); }
  // The group that a key belongs to.
  [[nodiscard]] Index group_of(Index slot) const { return ties_.root(slot); }
  [[nodiscard]] std::span<const GroundPair> initial(Index slot) const;
  // The rows that all keys share; null if there are no such tables.
  [[nodiscard]] const KeyState* shared_state() const;
  // Makes ticks of rational time so many times finer; `carried` are the widths of what slices leave to later ones.
  void refine(Time factor, const std::vector<Index>& carried);
  // The rows that keys read by their parts; null if there are no such tables.
  [[nodiscard]] const PartStore* parts() const { return parts_.get(); }
  void set_wake(Index slot, Time time);

  // For how long rows are kept behind a checkpoint, by table.
  [[nodiscard]] std::span<const Time> keep() const { return keep_; }
  // The longest time that is not for ever.
  [[nodiscard]] Time longest_keep() const { return longest_keep_; }
  [[nodiscard]] const std::vector<std::uint64_t>& empty_checkpoint() const { return empty_checkpoint_; }
  void set_empty_checkpoint(std::vector<std::uint64_t> words) { empty_checkpoint_ = std::move(words); }
  // After keys have got checkpoints at the border, drops the rows before it that they share.
  void finish_compaction(const Window& window, Time query, const LogWidths& widths);
  // A key that comes from elsewhere, with what is known of it.
  void plant(std::span<const Value> key, Checkpoint base, std::vector<Value> reported);
  // Keys without a checkpoint go on from a time at which nothing is known of them, unless something holds initially of
  // which nobody knows what has become: `is_known` by table.
  void begin_at(Time time, const std::vector<bool>& is_known);
  // Notes that there may be news of keys of which something was reported before.
  void report_planted();
  // Forgets a key of which nothing is left.
  void forget(Index slot);

  // Writes keys in these slots, rows by parts of keys that are wanted, and with `is_main` what all keys share; see
  // state_io.h.
  using IsWanted = std::function<bool(std::span<const Value>)>;
  using CausesOf = std::function<std::span<const Cause>(Index report)>;
  void write(StateWriter& into, const LogWidths& widths, bool is_main, const std::vector<Index>& slots,
             const IsWanted& is_wanted, const CausesOf& causes_of) const;
  // The slots of keys that are wanted.
  [[nodiscard]] std::vector<Index> slots_of(const IsWanted& is_wanted) const;
  void read(StateReader& from, const LogWidths& widths);
  // Refuses keys that another store of the same stage has as well, and other rows that all keys share.
  void check_merge(const StageStore& other) const;
  // Leaves out of another store what is not its own, and rows that all keys share if they are here as well.
  void drop_others(StageStore& other) const;
  // When something happens to keys without new rows.
  [[nodiscard]] Time next_wake();
  // Takes over the keys of another store.
  void absorb(StageStore& other);

  [[nodiscard]] const Stage& stage() const { return stage_; }
  [[nodiscard]] Index number() const { return number_; }
  // Sets what evaluations of all keys have in common.
  void prepare(World& world, Time query) const;
  // Puts the rows of a key into a world, and those of its parts; `scratch` must stay while it is evaluated.
  void load(World& world, Sweep& sweep, Index slot, const LogWidths& widths, std::vector<Value>& scratch) const;
  // Makes a world that of a key without rows.
  void load_nothing(World& world, Sweep& sweep) const;

  Reports reports;
  [[nodiscard]] std::size_t unmatched() const { return unmatched_ + (parts_ ? parts_->unmatched() : 0); }
  // Rows of all keys no longer know which conditions they pass.
  void forget_conditions(const LogWidths& widths);
  void mark_terms(TermMarks& marks) const;
  // How many rows of input there are.
  [[nodiscard]] std::size_t rows(const LogWidths& widths) const;

 private:
  // Tables that all keys read whole.
  struct Shared;

  void find_routes();
  // Brings the tables that all keys share up to date. The first time-point that has changed.
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
  IsOwn is_own_;  // empty: all are

  std::vector<Time> keep_;
  Time longest_keep_ = 0;
  Time event_keep_ = 0;
  bool can_resume_ = false;
  Time first_change_ = kForever;
  std::vector<std::uint64_t> empty_checkpoint_;
  bool compacts_all_ = false;
  Time border_ = kNever;

  std::vector<const Route*> route_of_;  // by table; null: the stage does not read it
  std::vector<Index> input_fluents_;    // not shared
  std::vector<std::vector<Index>> key_places_;
  bool has_strangers_ = false;
  std::unique_ptr<Shared> shared_;
  std::unique_ptr<PartStore> parts_;

  Intake intake_;
  IntervalIntake intervals_;
  std::vector<EffectItem> effect_items_;
  std::vector<PartItem> part_items_;
  std::vector<Work> work_;
  std::vector<Index> work_of_;  // by slot: in the work while that is put together, else kNone
  std::vector<Index> slots_of_row_;
  std::vector<Index> numbers_;  // of keys that rows tie
  std::vector<Value> key_;
  std::size_t unmatched_ = 0;

  using Waking = std::pair<Time, Index>;
  std::priority_queue<Waking, std::vector<Waking>, std::greater<>> waking_;
};

void take_effect(KeyState& state, const EffectArrivals& arrivals, std::size_t row);

}  // namespace holdsfor
