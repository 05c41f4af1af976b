// Evaluates a plan over the rows that are pushed, stage by stage and key by key: only keys that something has reached,
// or whose time has come, are evaluated again.
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

// Changes one after the other, each with the arguments of its pair and the inputs that caused it.
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
  InputBatches inputs;  // with those that are causes
};

// Cells of a row of `Engine::kept` before its arguments.
inline constexpr std::size_t kKeptHead = 5;

// Follows the causes of reports through earlier stages.
class CauseFinder {
 public:
  // The inputs that reached a key, in order; valid until the next call.
  std::span<const Cause> inputs_behind(std::span<const StageStore> stages, Index stage, Index report);

 private:
  static void drop_repeated(std::vector<Cause>& causes);

  std::vector<Cause> found_;
  std::vector<Cause> reports_;  // that are followed
  std::vector<Cause> next_;     // and those that they lead to
};

// The share of a distributed run that one engine has: the keys of one stage that are in one bucket.
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
  // Time begins there, or earlier. If metric predicates were evaluated for a later beginning, all keys are again.
  void begin_at(Time origin);
  [[nodiscard]] const Window& window() const { return window_; }
  // Makes ticks of rational time so many times finer. The plan must follow; all keys are evaluated again.
  void refine(Time factor);
  // What the strata of a component took so far, if that is measured.
  [[nodiscard]] std::vector<MetricProfile> profile(const MetricComponent& metric);
  // How many facts slices of rational time have left to later ones.
  [[nodiscard]] std::size_t carried() const;
  // The stream, if its facts are never late; null if they may be. Its facts are pushed there.
  [[nodiscard]] MetricFlow* flow() { return flow_.get(); }

  // Makes the engine work on its share only. Results of earlier stages then come by `receive`, and `deliveries_for` has
  // what a later stage reads of the results of the last query time: buckets of that stage, and bytes for each.
  void set_share(Share share);
  [[nodiscard]] const std::optional<Share>& share() const { return share_; }
  void receive(StateReader& from);
  [[nodiscard]] std::vector<std::pair<Index, std::string>> deliveries_for(Index stage, std::uint64_t fingerprint);

  // Rows to be taken in at the next query time.
  [[nodiscard]] Edits& edits() { return edits_; }
  // Where those rows are noted for changes to name, if changes are kept.
  [[nodiscard]] Inputs& inputs() { return inputs_; }
  [[nodiscard]] Time query() const { return query_; }
  // Takes in what counts at a query time, and evaluates what that has changed. While that takes long, `watch` is called
  // now and then from the calling thread; what it throws stops the evaluation. After one that was stopped, the engine
  // cannot go on.
  // `is_last`: time does not go on afterwards, so that only results are kept.
  void advance(Time query, unsigned threads, const std::function<void()>& watch, bool is_last = false);
  // What rules read of background knowledge has changed.
  void mark_all_dirty();

  // Goes on with other rules. What an engine with the earlier ones knows is taken over, first up to a border where all
  // is final: `settle_at` makes every key have a checkpoint there, `retire` takes back what was reported of tables that
  // will not be there. Then `succeed` takes over from one or more engines, and `resume` evaluates what was taken over
  // at the query time that they stand at. kNever: all rows are there, and everything is evaluated from them.
  [[nodiscard]] Time final_until() const;
  // Whether all rows that ever counted are there.
  [[nodiscard]] bool has_all_rows() const { return !has_dropped_; }
  void settle_at(Time border);
  void retire(const std::vector<bool>& tables);
  void succeed(Engine& earlier, const Heritage& how, Time border);
  void resume(unsigned threads, const std::function<void()>& watch);

  // The rows of a table that are shown at the last query time.
  AnswerColumns answers(Index table, unsigned threads);
  // All rows of a table and kind that were found, as results have them, from the columns that are times on.
  [[nodiscard]] RowSet result_rows(Index table, ResultKind kind) const;
  // A key of a stage with all its tables, as it is at the last query time.
  [[nodiscard]] std::unique_ptr<Trace> trace(Index stage, std::span<const Value> key);
  [[nodiscard]] std::int64_t conflicts() const { return conflicts_; }

  // Changes since they were last read, in the order of stages and keys; at most `most_causes` causes each, the latest.
  void keep_changes(bool is_wanted);
  [[nodiscard]] bool keeps_changes() const { return keeps_changes_; }
  ChangeList changes(std::size_t most_causes);
  // Only changes of these tables are given.
  void report_only(std::vector<bool> tables) { is_reported_ = std::move(tables); }
  // Derived events that have happened since the query time before, or have not after all, as far as the window has
  // them.
  struct EventChange {
    Index table = 0;
    bool is_removed = false;
    Time time = 0;
    std::size_t args = 0;  // where its arguments are
  };
  void keep_event_changes();
  [[nodiscard]] const std::vector<EventChange>& event_changes() const { return event_changes_; }
  [[nodiscard]] const std::vector<Value>& event_arguments() const { return event_arguments_; }
  // The inputs that took back rows which were not there at the last query time, as far as they have numbers.
  [[nodiscard]] const std::vector<Cause>& lost() const { return lost_; }

  [[nodiscard]] std::size_t late() const { return admission_.late(); }
  [[nodiscard]] std::size_t unmatched() const;
  // How many keys there are in all stages, and how many rows of input they and the waiting list have.
  [[nodiscard]] std::size_t keys() const;
  [[nodiscard]] std::size_t rows() const;
  // All that is kept of a table: stage, key, start, end, value and arguments of each row; the end of an event is its
  // time. What a checkpoint stands for is spelled out, each row as often as checkpoints have it. Rows by parts of keys
  // stand as those of keys of their own.
  [[nodiscard]] RowSet kept(Index table);

  // One of some parts of a state: each key is in one of them, the rest in the first.
  struct Part {
    std::size_t number = 0;
    std::size_t count = 1;
  };
  // The state as bytes, or a part of it. `note` is what the caller wants to find again with it.
  [[nodiscard]] std::string save(std::uint64_t fingerprint, Value note, Part part) const;
  // What is not of single keys of the own share; keys of some parts, and what is known of each part. Keys of parts that
  // nothing reaches need not be there: `reached` says which part, of so many, pending rows reach at a query time, and
  // `next_wake` when something happens without rows to keys that are there.
  struct SavedKeys {
    std::string bytes;
    std::size_t keys = 0;
    std::size_t rows = 0;
    std::size_t shown = 0;  // intervals that were reported and that the window has
    Time wake = kForever;
  };
  [[nodiscard]] std::string save_rest(std::uint64_t fingerprint, Value note) const;
  [[nodiscard]] std::vector<SavedKeys> save_keys(std::uint64_t fingerprint, std::span<const Part> parts) const;
  [[nodiscard]] std::vector<Index> reached(Time query, std::size_t parts) const;
  [[nodiscard]] Time next_wake();
  // Takes up a saved state, or a part, and gives the note; the engine must be new.
  Value read(StateReader& from);
  // Takes over all that another engine with the same plan has; refuses keys that both have.
  void absorb(Engine& other);
  // The same of what `save_rest` and `save_keys` gave in a distributed run, perhaps at an earlier query time, or by
  // engines with other shares: keys that are not its own are left out.
  void absorb_share(Engine& other);
  // Refuses to go on while parts of the state are missing.
  void require_all_parts() const;
  static constexpr std::size_t kMostParts = 65'536;

  // Marks the terms that rows, results and checkpoints refer to.
  void mark_terms(TermMarks& marks) const;
  // How many keys have been evaluated so far, each as often as it was.
  [[nodiscard]] std::size_t evaluated() const { return evaluated_; }
  // How many time-points of keys have been gone through so far, each as often as it was, and for each phase.
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
  std::unique_ptr<MetricFlow> flow_;                       // instead of keys; null: there are keys
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
  Deliveries outgoing_;  // to other shares
  Time query_ = kNever;
  bool is_begun_ = false;
  bool are_known_ = false;                  // keys come from a saved state, and their results with them
  bool is_broken_ = false;                  // an evaluation was stopped half-way
  bool is_over_ = false;                    // the last query time is over
  bool has_dropped_ = false;                // rows that the window has left behind
  std::unique_ptr<Succession> succession_;  // until it goes on with what it takes over
  std::vector<bool> is_part_here_;          // of the parts of a state; empty: it is whole
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
  Time first_event_ = kNever;  // that the window has
  std::vector<EventChange> event_changes_;
  std::vector<Value> event_arguments_;
  std::vector<Cause> lost_;
  KeyComparison comparison_;
  CauseFinder causes_;
  Dependencies dependencies_;
  Inputs inputs_;
};

}  // namespace holdsfor
