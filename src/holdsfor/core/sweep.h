// Evaluates the components of a stage for one key. Each phase processes the time-points once, in order.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "checkpoint.h"
#include "machine.h"
#include "metric_run.h"
#include "world.h"

namespace holdsfor {

// A pair by its contents.
struct GroundPair {
  Index table = 0;
  std::vector<Value> columns;
  Value value;
};

// Stops a run, for the host to explain: an invalid delay, delayed effects without end, times that metric rules cannot
// distinguish, or metric rules without a fixpoint.
struct EvaluationStop : std::runtime_error {
  enum class Reason { kDelay, kTooManyEffects, kTooFar, kNoEnd };
  EvaluationStop(Reason why, Index where, std::vector<Value> with, Time when)
      : std::runtime_error("evaluation stopped"), reason(why), site(where), row(std::move(with)), time(when) {}
  Reason reason;
  Index site;
  std::vector<Value> row;  // of the site
  Time time;
};

// An initiation without effect, because something broke it at the same time-point.
struct Conflict {
  Index table = 0;
  Index instance = 0;
  Time time = 0;
};

// What to evaluate: a stage for the key in the world, from the beginning or from a checkpoint. `saves` are the
// checkpoints to fill: their times are in order and not after the query time.
struct SweepRequest {
  Index stage = 0;
  std::span<const GroundPair> initial;
  const Checkpoint* from = nullptr;
  std::span<Checkpoint> saves;
};

class Sweep {
 public:
  explicit Sweep(World& world);

  // Evaluates the components of a stage from the input in the world. The results are in the tables of the world.
  void run(const SweepRequest& request);
  // The first time after the query time at which something happens without new rows, such as a delayed effect. kForever
  // if nothing does.
  [[nodiscard]] Time wake() const { return wake_; }
  // The number of time-points processed, over all phases and runs, modulo 2^32.
  [[nodiscard]] std::uint32_t steps() const { return steps_; }
  [[nodiscard]] const std::vector<Conflict>& conflicts() const { return conflicts_; }
  // The widths of the tables that slices of rational time carry over to later slices, in checkpoint order.
  std::vector<Index> carried_widths(const MetricComponent& metric) { return metric_run(metric).carried_widths(); }
  [[nodiscard]] const std::vector<MetricProfile>& profile(const MetricComponent& metric) {
    return metric_run(metric).profile();
  }
  // Whether a pair is among the groundings of its fluent.
  bool is_declared(Index table, std::span<const Value> columns, Value value);

 private:
  // A pending delayed effect.
  struct Attempt {
    Time due = 0;
    Time initiated = 0;
    Index table = 0;
    Index trigger = 0;  // a pair
    const Delay* rule = nullptr;
    std::size_t effect = 0;  // index of its columns and its value in `effect_cells_`
    bool is_postponable = false;
    bool has_taken_effect = false;  // it took effect; the effect may renew its own trigger
  };
  // A sequence of times that triggers rules: events of a table, or starts and ends of a fluent.
  struct Source {
    Index table = kNone;  // the table of these rows
    std::uint64_t bit = 0;
    const EventTable* events = nullptr;
    const std::vector<Edge>* edges = nullptr;
    const std::vector<Time>* times = nullptr;
    std::size_t from = 0;  // rows of the present time-point: from here to `at`
    std::size_t at = 0;

    [[nodiscard]] Time next() const;
    void pass(Time time);
  };

  void run_stage(const SweepRequest& request);
  void run_phase(Index number);
  void run_rows();
  void run_cycle();
  // Whether a phase ends before a time-point. Saves the state if a checkpoint is due.
  bool is_over(Time time) { return time > limit_ && stops_before(time); }
  bool stops_before(Time time);
  void set_limit();
  void begin_time_point(Time time);

  // Sources
  void open_sources();
  void open(Index table, std::uint64_t bit);
  [[nodiscard]] Time next_given() const;
  std::uint64_t pass_sources(Time time);

  // Rules
  void run_row(const RowRules& rules, const Value* row, Passes passes);
  // Packed pairs
  void begin_packed();
  void set_packed(Index table);
  const Value* run_packed(const Value* row, const Value* end, Time stop);
  // False if a rule about a mirrored table has an effect.
  bool mark_packed(const RowRules& rules, const Value* row, std::uint64_t positions);
  void mirror(Index table, FluentTable& fluent, Index before, Index current);
  void apply_packed(Time time);
  Index packed_pair(std::size_t bit);
  [[nodiscard]] PairBits packed_bits(Index table, std::span<const Value> columns, Value value) const;
  PairBits bit_of(Index table, FluentTable& fluent, Index number) const;
  [[nodiscard]] bool is_packed(Index table) const { return uses_bits_ && phase_->packing[table] == Packing::kPacked; }
  [[nodiscard]] bool has_bits(Index table) const { return uses_bits_ && phase_->packing[table] != Packing::kNone; }
  void fire_row(const RowRule& rule, const Value* row, bool is_decided);
  void fire_direct(const RowRule& rule, const Value* row);
  void solve_direct(const RowRule& rule, const Value* const* from, std::size_t lookup, std::size_t test);
  void conclude(const RowRule& rule, const Value* const* from);
  [[nodiscard]] bool passes(const RowTest& test, const Value* const* from);
  [[nodiscard]] bool passes_finished(const RowTest& test, const Value* const* from);
  Index find_finished(const RowTest& test, const Value* const* from);
  [[nodiscard]] Index find_instance(const RowTest& test, const FluentTable& fluent, const Value* const* from);
  [[nodiscard]] bool passes_all(const RowRule& rule, const Value* row);
  void fire(const Rule& rule);
  void fire(const RuleGroup& group);
  void fire_rows(const RowRules& rules, const RowGroup& group, std::uint64_t wanted, const Value* row);
  // Runs the remaining blocks of some rules of a group, for one solution of their common beginning.
  void note_rests(const RuleGroup& group, std::uint64_t wanted);
  void clear_found(const RuleGroup& group);
  void take_found(const RuleGroup& group);
  [[nodiscard]] bool is_foreign(const RowRule& rule, const Value* row) const;
  void decide_delayed();
  bool decide(const Group& group, std::uint64_t active);
  void decide(const Decision& decision);
  void note(const Rule& rule, const Machine::Frame& frame, std::vector<Value>& found) const;
  void take(const Rule& rule, const std::vector<Value>& found);
  void take(const Rule& rule, std::span<const Value> columns, Value value);

  // Effects at a time-point, and the state after it
  void initiate_initially();
  void initiate(Index table, std::span<const Value> columns, Value value);
  void terminate(Index table, std::span<const Value> columns, Value value, bool may_be_open = false);
  void happen(Index table, std::span<const Value> columns);
  // Marks a pair as initiated. Returns whether that is new.
  bool mark_initiated(Index table, FluentTable& fluent, Index instance, Index pair);
  // Marks an instance as ended if it has `value`, or with a wildcard whatever its value. Returns whether that is new.
  bool mark_ended(Index table, FluentTable& fluent, Index instance, Value value);
  bool end_another(Index table, FluentTable& fluent, Instance& instance, Value value);
  bool end_openly(Index table, FluentTable& fluent, std::span<const Value> columns, Value value);
  void apply();
  void apply_instance(Index table, Index instance);
  void begin(Index table, FluentTable& fluent, Index pair);
  void finish();

  // Delayed effects
  [[nodiscard]] Time next_due() const {
    return first_attempt_ < attempts_.size() ? attempts_[first_attempt_].due : kForever;
  }
  [[nodiscard]] std::span<Attempt> due_attempts();
  [[nodiscard]] bool takes_effect(const Attempt& attempt) const;
  [[nodiscard]] bool is_anything_due();
  [[nodiscard]] GroundPair effect_of(const Attempt& attempt) const;
  void pass_on(Index component);
  void drop_due();
  [[nodiscard]] bool is_delay(Value delay) const;
  void stage(Index table, Index pair);
  bool is_postponable(Index table, Index pair);

  // Statically determined fluents
  void define(Index table);
  void find_next();
  void update_static();
  void solve_definitions(Index table, FluentTable& into);
  void find_declared(Index table);
  void put_back_read(Index table);
  MetricRun& metric_run(const MetricComponent& metric);
  void run_metric(const MetricComponent& metric);
  void run_slices(const MetricComponent& metric);

  // Checkpoints
  [[nodiscard]] const Component& component_of(Index table) const;
  void save(std::size_t number);
  void load();
  void save_static(Index table);
  void load_static(Index table);
  void splice_static(Index table);
  FluentTable& known_before(Index table);

  World& world_;
  Machine machine_;
  SweepRequest request_;
  const Phase* phase_ = nullptr;
  Time wake_ = kForever;

  std::vector<Source> sources_;
  std::vector<Time> extra_;                    // times that no source has
  std::multimap<Time, GroundPair> scheduled_;  // effects on components of later phases
  // Ordered by due time. Attempts before `first_attempt_` are over.
  std::vector<Attempt> attempts_;
  std::size_t first_attempt_ = 0;
  std::vector<Value> effect_cells_;
  std::int64_t in_a_row_ = 0;
  std::uint32_t steps_ = 0;  // time-points so far

  std::vector<std::pair<Index, Index>> touched_;  // instances with marks of the present time-point
  std::vector<Index> openly_ended_;               // fluents with open ends at the present time-point
  std::vector<Index> with_ended_;                 // fluents with ends of specific values
  std::vector<Conflict> conflicts_;
  // Heads that a rule derived, one after the other; one list for each rule of a group.
  std::array<std::vector<Value>, RuleGroup::kMostRules> found_;
  std::vector<Value> head_;  // one of them
  std::vector<Index> holding_;
  Nearby nearby_;
  std::array<Value, RowRule::kMostOutputs> looked_up_;  // values of facts about the current row
  // By slot, see Slots: the instance or pair. kNone: not looked up yet. kNowhere: it belongs to another key, or is not
  // in a finished table.
  static constexpr Index kNowhere = kNone - 1;
  std::vector<Index> slot_instances_;
  std::vector<Index> slot_pairs_;
  // State of packed pairs for this key: whether bits are used; which pairs hold, which are declared, which are
  // initiated or ended at the present time-point; and the pair numbers by bit.
  bool uses_bits_ = false;
  PairBits holding_bits_ = 0;
  PairBits declared_bits_ = 0;
  PairBits initiated_bits_ = 0;
  PairBits ended_bits_ = 0;
  std::vector<Index> bit_pairs_;
  std::size_t changes_ = 0;

  FluentTable scratch_;
  std::map<const MetricComponent*, std::unique_ptr<MetricRun>> metric_;
  std::optional<CheckpointReader> reader_;
  std::vector<CheckpointWriter> writers_;  // of the saved checkpoints; further entries keep their memory
  std::size_t next_save_ = 0;              // the first checkpoint that the phase has not reached
  SavedNumbers saved_numbers_;
  // By table, if there are attempts: the numbers of saved pairs, and the pairs whose last initiation matters.
  std::vector<std::vector<Index>> saved_pairs_;
  std::vector<std::vector<bool>> needed_;
  std::vector<bool> nothing_needed_;
  Time limit_ = kNever;              // up to this time there is neither an end nor a checkpoint
  std::vector<FluentTable> before_;  // by table: statically determined fluents as in the checkpoint
};

inline bool Sweep::mark_initiated(Index table, FluentTable& fluent, Index number, Index pair) {
  if (fluent.pairs[pair].last_initiated == world_.now) return false;
  if (fluent.instances[number].stamp != world_.now) touched_.emplace_back(table, number);
  Instance& instance = fluent.marked(number, world_.now);
  instance.is_contested = instance.initiated != kNone;
  if (instance.initiated == kNone) instance.initiated = pair;
  fluent.pairs[pair].last_initiated = world_.now;
  ++changes_;
  return true;
}

inline bool Sweep::mark_ended(Index table, FluentTable& fluent, Index number, Value value) {
  if (fluent.instances[number].stamp != world_.now) touched_.emplace_back(table, number);
  Instance& instance = fluent.marked(number, world_.now);
  if (value.is_wildcard()) {
    if (instance.is_ended) return false;
    instance.is_ended = true;
  } else if (instance.ended_value.is_nothing()) {
    instance.ended_value = value;
  } else if (instance.ended_value == value || !end_another(table, fluent, instance, value)) {
    return false;
  }
  ++changes_;
  return true;
}

}  // namespace holdsfor
