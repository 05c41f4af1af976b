// Evaluates a plan over pushed rows, stage by stage and key by key. Evaluates only dirty keys and keys that are due.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "admission.h"
#include "answers.h"
#include "buckets.h"
#include "dependencies.h"
#include "exchange.h"
#include "inputs.h"
#include "key_evaluator.h"
#include "metric_flow.h"
#include "stage_store.h"
#include "succession.h"
#include "trace.h"

namespace holdsfor {

// A list of changes, each with the arguments of its pair and the inputs that caused it.
struct ChangeList {
  struct Entry {
    Index table = 0;
    Value value;
    Change change;
  };
  std::vector<Entry> entries;
  std::vector<std::int64_t> offsets{0};
  std::vector<Value> columns;
  std::vector<std::int64_t> cause_offsets{0};
  std::vector<Cause> causes;
  InputBatches inputs;  // the batches with the causes
};

// Cells of a row of `Engine::kept` before its arguments.
inline constexpr std::size_t kKeptHead = 5;

// Follows the causes of reports through earlier stages.
class CauseFinder {
 public:
  // The inputs that reached a key, in order. Valid until the next call.
  std::span<const Cause> inputs_behind(std::span<const StageStore> stages, Index stage, Index report);

 private:
  static void drop_repeated(std::vector<Cause>& causes);

  std::vector<Cause> found_;
  std::vector<Cause> reports_;  // the reports of the current round
  std::vector<Cause> next_;     // the reports that they lead to
};

// The share of one engine in a distributed run: the keys of one stage that are in one bucket.
struct Share {
  Index stage = 0;
  Index bucket = 0;
  std::vector<BucketGrid> grids;  // by stage
};

class Engine {
 public:
  Engine(const Prepared& prepared, TermTable& terms, Host& host);
  ~Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  Engine(Engine&&) = delete;
  Engine& operator=(Engine&&) = delete;

  void set_window(Window window) { window_ = window; }
  // Time begins at `origin` or earlier. If metric predicates were evaluated for a later origin, all keys become dirty.
  void begin_at(Time origin);
  [[nodiscard]] const Window& window() const { return window_; }
  // Divides the ticks of rational time by `factor`. A plan for the finer ticks must follow. All keys become dirty.
  void refine(Time factor);
  // The measured cost of each stratum of a component, if profiling is on.
  [[nodiscard]] std::vector<MetricProfile> profile(const MetricComponent& metric);
  // How many facts slices of rational time have carried over to later slices.
  [[nodiscard]] std::size_t carried() const;
  // The stream of metric rules, if facts are never late: push its facts there. Null if facts may be late.
  [[nodiscard]] MetricFlow* flow() { return flow_.get(); }

  // Restricts the engine to its share. From then on, `receive` takes the results of earlier stages. `deliveries_for`
  // gives the results of the last query time that a later stage reads: buckets of that stage, and bytes for each.
  void set_share(Share share);
  [[nodiscard]] const std::optional<Share>& share() const { return share_; }
  void receive(StateReader& from);
  [[nodiscard]] std::vector<std::pair<Index, std::string>> deliveries_for(Index stage, std::uint64_t fingerprint);

  // Rows to take in at the next query time.
  [[nodiscard]] Edits& edits() { return edits_; }
  // Records those rows, so that changes can name them, if changes are kept.
  [[nodiscard]] Inputs& inputs() { return inputs_; }
  [[nodiscard]] Time query() const { return query_; }
  // Takes in the rows that count at a query time, and evaluates dirty keys. The calling thread calls `watch` from time
  // to time; an exception from it stops the evaluation. After that the engine refuses to continue. `is_last`: the last
  // query time; only results are kept.
  void advance(Time query, unsigned threads, const std::function<void()>& watch, bool is_last = false);
  // Background knowledge that rules read has changed: all keys become dirty.
  void mark_all_dirty();

  // Swap of rules, in four steps. On each engine with the earlier rules, `settle_at` gives every key a checkpoint at a
  // border up to which everything is final, and `retire` retracts what was reported of tables that will not exist. On
  // the new engine, `succeed` takes over the state of one or more of them, and `resume` evaluates it at their query
  // time. Border kNever: all rows are available, and everything is evaluated from them.
  [[nodiscard]] Time final_until() const;
  // Whether all rows that ever counted are still available.
  [[nodiscard]] bool has_all_rows() const { return !has_dropped_; }
  void settle_at(Time border);
  void retire(const std::vector<bool>& tables);
  void succeed(Engine& earlier, const Heritage& how, Time border);
  void resume(unsigned threads, const std::function<void()>& watch);

  // The rows of a table that are visible at the last query time.
  AnswerColumns answers(Index table, unsigned threads);
  // All rows of a table and kind in the results, from the time columns on.
  [[nodiscard]] RowSet result_rows(Index table, ResultKind kind) const;
  // A key of a stage with all its tables, at the last query time.
  [[nodiscard]] std::unique_ptr<Trace> trace(Index stage, std::span<const Value> key);
  [[nodiscard]] std::int64_t conflicts() const { return conflicts_; }

  // Changes since the last call, ordered by stage and key. Each has at most `most_causes` causes, the latest ones.
  void keep_changes(bool is_wanted);
  [[nodiscard]] bool keeps_changes() const { return keeps_changes_; }
  ChangeList changes(std::size_t most_causes);
  // Restricts changes to these tables.
  void report_only(std::vector<bool> tables) { is_reported_ = std::move(tables); }
  // Derived events within the window that were added or removed since the previous query time.
  struct EventChange {
    Index table = 0;
    bool is_removed = false;
    Time time = 0;
    std::size_t args = 0;  // index of its arguments in `event_arguments`
  };
  void keep_event_changes();
  [[nodiscard]] const std::vector<EventChange>& event_changes() const { return event_changes_; }
  [[nodiscard]] const std::vector<Value>& event_arguments() const { return event_arguments_; }
  // The inputs whose retraction found nothing at the last query time. Inputs without a number are left out.
  [[nodiscard]] const std::vector<Cause>& lost() const { return lost_; }

  [[nodiscard]] std::size_t late() const { return admission_.late(); }
  [[nodiscard]] std::size_t unmatched() const;
  // The number of keys in all stages; the number of input rows of keys and of waiting events.
  [[nodiscard]] std::size_t keys() const;
  [[nodiscard]] std::size_t rows() const;
  // All rows that are kept of a table: stage, key, start, end, value and arguments of each. The end of an event is its
  // time. Rows in checkpoints are included, once for each checkpoint. Rows by partial keys have the partial key as
  // their key.
  [[nodiscard]] RowSet kept(Index table);

  // One part of a state. Each key is in one part; the state outside keys is in the first part.
  struct Part {
    std::size_t number = 0;
    std::size_t count = 1;
  };
  // The state, or a part of it, as bytes. `note` is a term that `read` returns.
  [[nodiscard]] std::string save(std::uint64_t fingerprint, Value note, Part part) const;
  // Saves the state in pieces: the rest (outside the keys of the share), and the keys of some parts, with a summary of
  // each part. A part need not be loaded if nothing reaches it: `reached` gives the parts, of `parts`, that pending
  // rows reach at a query time, and `next_wake` gives the time when a loaded key is due without new rows.
  struct SavedKeys {
    std::string bytes;
    std::size_t keys = 0;
    std::size_t rows = 0;
    std::size_t shown = 0;  // reported intervals within the window
    Time wake = kForever;
  };
  [[nodiscard]] std::string save_rest(std::uint64_t fingerprint, Value note) const;
  [[nodiscard]] std::vector<SavedKeys> save_keys(std::uint64_t fingerprint, std::span<const Part> parts) const;
  [[nodiscard]] std::vector<Index> reached(Time query, std::size_t parts) const;
  [[nodiscard]] Time next_wake();
  // Loads a saved state or a part into a new engine, and returns the note.
  Value read(StateReader& from);
  // Takes over the state of another engine with the same plan. Refuses keys that both engines have.
  void absorb(Engine& other);
  // Takes over the output of `save_rest` and `save_keys` of a distributed run, possibly from an earlier query time or
  // from engines with other shares. Skips keys outside the own share.
  void absorb_share(Engine& other);
  // Throws if parts of the state are missing.
  void require_all_parts() const;
  static constexpr std::size_t kMostParts = 65'536;

  // Marks the terms that rows, results and checkpoints refer to.
  void mark_terms(TermMarks& marks) const;
  // Evaluations of keys so far.
  [[nodiscard]] std::size_t evaluated() const { return evaluated_; }
  // Time-points processed so far, counted for each evaluation and each phase.
  [[nodiscard]] std::size_t time_points() const { return time_points_; }

 private:
  void find_readers();
  void begin_flow();
  void advance_flow(Time query, const std::function<void()>& watch);
  AnswerColumns flow_answers(Index table) const;
  void run_stages(Time query, unsigned threads, const std::function<void()>& watch, bool is_last);
  void take_rows(Engine& earlier, const Heritage& how);
  void find_initial(Time query);
  void find_origin();
  void run_stage(StageStore& stage, Time query, unsigned threads, const std::function<void()>& watch, bool is_last);
  [[nodiscard]] bool is_quick(StageStore& stage, std::size_t cells) const;
  void require_whole() const;
  void check_parts(const Engine& other) const;
  void renumber_inputs(Cause more);
  void put_head(StateWriter& into, Value note, Part part, bool is_main) const;
  void take_over(Engine& other, bool are_known);
  [[nodiscard]] BucketGrid grid() const {
    return share_ ? share_->grids[share_->stage] : BucketGrid(1, std::vector<Index>{});
  }
  static void forget(StageStore& stage, Index slot);
  void collect(StageStore& stage, const StageOutput& output);
  void pass_on(const StageOutput& output, const StageOutput::Row& row, Cause cause);
  KeyEvaluator& evaluator(unsigned thread);
  void add_changes(StageStore& stage, Index report, const ReportTimes& times, std::size_t most_causes,
                   ChangeList& into);
  void find_causes(std::span<const Cause> inputs, Index table, std::size_t most, std::vector<Cause>& into);
  bool is_cause_of(Cause cause, Index table);
  void forget_reports();

  const Prepared& prepared_;
  TermTable& terms_;
  Host& host_;
  LogWidths widths_;
  std::vector<RowConditions> conditions_;  // by stage
  std::vector<StageStore> stages_;
  std::unique_ptr<MetricFlow> flow_;                       // replaces keys; null: the engine has keys
  std::vector<std::unique_ptr<KeyEvaluator>> evaluators_;  // by thread
  std::vector<StageOutput> outputs_;                       // by chunk of keys
  std::vector<std::vector<bool>> is_home_;    // by stage and table: retractions of its input are counted there
  std::vector<std::vector<bool>> is_member_;  // by stage and table
  std::vector<std::vector<bool>> is_wanted_;  // by stage and table: later stages read it

  Window window_;
  Edits edits_;
  Admission admission_;
  Deliveries deliveries_;
  std::optional<Share> share_;
  Deliveries outgoing_;  // for other shares
  Time query_ = kNever;
  bool is_begun_ = false;
  bool are_known_ = false;                  // keys and their results come from a saved state
  bool is_broken_ = false;                  // an evaluation was stopped half-way
  bool is_over_ = false;                    // the last query time has passed
  bool has_dropped_ = false;                // rows behind the window
  std::unique_ptr<Succession> succession_;  // until `resume`
  std::vector<bool> is_part_here_;          // by part of the state; empty: the state is complete
  std::atomic<bool> is_stopped_ = false;
  std::size_t unmatched_ = 0;
  std::size_t evaluated_ = 0;
  std::size_t time_points_ = 0;
  std::int64_t conflicts_ = 0;
  Answers answers_;

  bool keeps_changes_ = false;
  Time reported_at_ = kNever;
  std::vector<bool> is_reported_;  // by table; empty: all
  bool keeps_events_ = false;
  Time first_event_ = kNever;  // the first time-point in the window
  std::vector<EventChange> event_changes_;
  std::vector<Value> event_arguments_;
  std::vector<Cause> lost_;
  KeyComparison comparison_;
  CauseFinder causes_;
  Dependencies dependencies_;
  Inputs inputs_;
};

}  // namespace holdsfor
