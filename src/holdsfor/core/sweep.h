// Evaluates the components of a plan for one key: each goes through its time-points once, in order.
#pragma once

#include <map>
#include <stdexcept>
#include <vector>

#include "checkpoint.h"
#include "machine.h"
#include "world.h"

namespace holdsfor {

// A pair by its contents.
struct GroundPair {
  Index table = 0;
  std::vector<Value> columns;
  Value value;
};

// What stops a run, for the host to explain: a delay that is none, or effects that set each other off for ever.
struct EvaluationStop : std::runtime_error {
  enum class Reason { kDelay, kTooManyEffects };
  EvaluationStop(Reason why, Index where, Value what, Time when)
      : std::runtime_error("evaluation stopped"), reason(why), site(where), value(what), time(when) {}
  Reason reason;
  Index site;
  Value value;
  Time time;
};

// An initiation that had no effect, because something broke it at its own time-point.
struct Conflict {
  Index table = 0;
  Index instance = 0;
  Time time = 0;
};

// What to evaluate: a stage for the key in the world, from the beginning or from a checkpoint. If the sweep passes
// `save_after`, the state after that time-point goes into `into`.
struct SweepRequest {
  Index stage = 0;
  std::span<const GroundPair> initial;
  const Checkpoint* from = nullptr;
  Time save_after = kForever;
  Checkpoint* into = nullptr;
};

class Sweep {
 public:
  explicit Sweep(World& world);

  // Evaluates the components of a stage from what the world has of input. The results are in the tables of the world.
  void run(const SweepRequest& request);
  // When something happens by itself after the query time, such as a delayed effect; kForever if nothing does.
  [[nodiscard]] Time wake() const { return wake_; }
  [[nodiscard]] const std::vector<Conflict>& conflicts() const { return conflicts_; }
  // Whether a pair is among the groundings of its fluent.
  bool is_declared(Index table, std::span<const Value> columns, Value value);

 private:
  // A delayed effect that is under way.
  struct Attempt {
    Index table = 0;
    Index trigger = 0;  // a pair
    Time initiated = 0;
    bool is_postponable = false;
    const Delay* rule = nullptr;
    GroundPair effect;
  };

  void run_stage(const SweepRequest& request);
  void run_component(Index number);
  // Checkpoints
  void save();
  void load();
  void save_static(Index table);
  void load_static(Index table);
  void remember_static(Index table);
  void splice_static(Index table);
  void open_sources();
  void skip_past();
  void open(Index table, std::uint64_t bit, Index number);
  Time next_given();
  void step(Time time, std::uint64_t active);
  void decide_plain(std::uint64_t active);
  void note(const Rule& rule, const Machine::Frame& frame);
  void take(const Rule& rule);
  bool decide(const Group& group, std::uint64_t active);
  void decide_delayed(const Decision& decision);
  void fire(const Rule& rule);
  void initiate(Index table, std::span<const Value> columns, Value value);
  void terminate(Index table, std::span<const Value> columns, Value value);
  void happen(Index table, std::span<const Value> columns);
  [[nodiscard]] bool comes_true(const Attempt& attempt) const;
  [[nodiscard]] bool owns(Index table) const { return world_.is_running(table); }
  void pass_on();
  void apply();
  void apply_instance(Index table, Index instance);
  void begin(Index table, Index pair);
  [[nodiscard]] bool is_delay(Value delay) const;
  void stage(Index table, Index pair);
  bool is_postponable(Index table, Index pair);
  void finish();

  // Statically determined fluents.
  void define(Index table);
  void find_next();
  void update_static();
  void solve_definitions(Index table);

  World& world_;
  Machine machine_;
  std::vector<GroundPair> initial_;
  std::multimap<Time, GroundPair> scheduled_;  // effects on components that are evaluated later
  std::multimap<Time, Attempt> attempts_;
  // Times at which something is given, each in order: events of a kind, or starts and ends of a fluent.
  struct Source {
    std::uint64_t bit = 0;
    Index number = kNone;  // of the source in the prepared component
    std::size_t from = 0;  // rows of the present time-point: from here to `at`
    const EventTable* events = nullptr;
    const std::vector<Edge>* edges = nullptr;
    const std::vector<Time>* times = nullptr;
    std::size_t at = 0;

    [[nodiscard]] Time next() const;
    void pass(Time time);
  };
  std::vector<Source> sources_;
  std::vector<Time> extra_;  // times that no source has
  const PreparedComponent* prepared_ = nullptr;
  std::vector<std::pair<Index, Index>> touched_;  // instances with marks of the present time-point
  std::vector<Conflict> conflicts_;
  std::vector<Value> found_;  // heads of a rule, one after the other
  FluentTable scratch_;
  SweepRequest request_;
  std::optional<CheckpointReader> reader_;
  std::optional<CheckpointWriter> writer_;
  std::vector<FluentTable> before_;  // by table: statically determined fluents as they were in the checkpoint
  Time wake_ = kForever;
  std::int64_t in_a_row_ = 0;
  std::size_t changes_ = 0;
  Index component_ = kNone;
  bool has_static_ = false;
};

}  // namespace holdsfor
