// The Python class `_core.Core`: an engine with its plan, terms and host.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "bindings_arrays.h"
#include "bindings_changes.h"
#include "bindings_trace.h"
#include "bindings_values.h"
#include "engine.h"
#include "python_host.h"

namespace holdsfor {

namespace nb = nanobind;

using WordArray = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using TimeArray = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using FlagArray = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

class Core {
 public:
  // `like`: a core to share the term table with, so that words mean the same in both.
  Core(nb::bytes plan, nb::object host, bool is_traced, const Core* like);

  // Terms

  std::uint64_t name(const std::string& text) { return terms_.name(text).word(); }
  std::uint64_t integer(std::int64_t number) { return terms_.integer(number).word(); }
  std::uint64_t real(double number) { return terms_.real(number).word(); }
  std::uint64_t big_integer(const std::string& digits) { return terms_.big_integer(digits).word(); }
  std::uint64_t compound(const std::string& functor, const Words& args);
  std::uint64_t list(const Words& items) { return terms_.list(values_of(items)).word(); }

  std::uint64_t partial_list(const Words& items, std::uint64_t tail);

  // Whole columns of terms.
  WordColumn words(const nb::list& objects) { return words_of_objects(terms_, objects); }
  WordColumn words_of_reals(const RealsGiven& numbers) { return holdsfor::words_of_reals(terms_, numbers); }
  nb::list values(const WordsGiven& words) const { return objects_of_words(terms_, words); }
  // Times and words of the events in a table (a capsule with an Arrow stream) with `width` arguments, and the largest
  // time. None if the columns need the slow reader in Python. In that case, terms may have been created that nothing
  // refers to.
  std::optional<nb::tuple> table_events(const nb::capsule& table, std::size_t width, Time latest);

  std::size_t terms() const { return terms_.used(); }
  // Drops terms that nothing refers to. Words of these terms held by Python become invalid, except those in `keep`.
  void reclaim_terms(WordArray keep);

  // The length of a list. Nothing if the term is not a list.
  std::optional<std::size_t> length(std::uint64_t word) const;

  // The kind of a term and its components.
  nb::tuple describe(std::uint64_t word) const;

  // Input. Event columns are read at the next `advance` and must not change until then.

  void set_window(std::optional<std::int64_t> size, std::optional<std::int64_t> start);
  void begin_at(Time origin) { engine_->begin_at(origin); }
  // Inserts or retracts rows. `is_correction`: the insertion and the retraction belong together, and changes mark their
  // causes as a correction.
  template <bool is_retraction>
  Cause edit_events(Index table, TimeArray times, WordArray words, bool is_correction, bool is_cause);
  template <bool is_retraction>
  Cause edit_intervals(Index table, TimeArray starts, TimeArray ends, WordArray values, WordArray words,
                       FlagArray is_point, bool is_correction, bool is_cause);
  // Pushes facts to a stream of metric rules without late facts: cells in which the facts begin and end, and words row
  // by row. Returns how many facts begin before the time already reached. That part of them is cut off.
  std::size_t push_facts(Index table, const TimeArray& starts, const TimeArray& ends, const WordArray& words);
  // Inserts or retracts one event given as Python objects.
  template <bool is_retraction>
  void edit_one(Index table, Time time, nb::tuple args);

  // Distributed runs

  // Restricts the engine to the keys of one stage that are in one bucket. `sides` by stage: see BucketGrid. `ties` by
  // stage: numbers of tied keys, and the first number of each group. Without `ties`, a stage with tied keys has one
  // bucket.
  using Ties = std::optional<std::pair<TimeArray, TimeArray>>;
  void set_share(Index stage, Index bucket, std::size_t buckets, const std::vector<std::vector<Index>>& sides,
                 const std::vector<Ties>& ties);
  // The buckets of a stage that rows of a table go to: row numbers, and a bucket for each.
  nb::tuple targets(Index stage, Index table, std::size_t count, WordArray words) const;
  void receive(nb::bytes bytes);
  nb::list deliveries_for(Index stage);

  // The state outside the keys of the share. `load_share` takes it in together with some keys; see engine.h.
  nb::bytes save_rest(std::uint64_t note) const;
  // For each part, given as number and count of parts: bytes, keys, rows, visible intervals, and the time when the
  // first key wakes.
  nb::list save_keys(const std::vector<std::pair<std::size_t, std::size_t>>& parts) const;
  // Loads the output of `save_rest` and `save_keys`. `plan`: the bytes of the plan that the output was saved with, if
  // that was another plan of the same shape. Returns the note of the last rest, or nothing.
  std::uint64_t load_share(const nb::list& saved, std::optional<nb::bytes> plan);
  std::vector<Index> reached(std::int64_t query, std::size_t parts) const { return engine_->reached(query, parts); }
  std::int64_t next_wake() { return engine_->next_wake(); }

  // Evaluation

  // The rows for which conditions had no value since the last call: site, values and reason number of each.
  std::vector<std::tuple<std::uint32_t, Words, std::uint32_t>> failures();
  void forget_answers() { host_.forget_answers(); }
  // `is_last`: the last query time; only answers are kept.
  void advance(std::int64_t query, unsigned threads, bool is_last);
  void mark_all_dirty() { engine_->mark_all_dirty(); }
  void resume_at(std::optional<std::int64_t> time) { prepared_.resume_at = time; }
  void checkpoint_cells(std::optional<std::size_t> cells) { prepared_.checkpoint_cells = cells; }
  // Continues with other rules. The new plan has the same tables, stages and routes.
  void replan(nb::bytes plan);

  // Swap of rules, see Engine::succeed. `delays`: earlier table, earlier number within its component, new number.

  std::optional<std::int64_t> final_until() const;
  bool has_all_rows() const { return engine_->has_all_rows(); }
  void settle_at(std::int64_t border) { engine_->settle_at(border); }
  void retire(const std::vector<bool>& tables);
  void succeed(Core& earlier, const std::vector<std::optional<Index>>& tables, const std::vector<bool>& has_state,
               const std::vector<std::tuple<Index, Index, Index>>& delays, std::optional<std::int64_t> border,
               bool is_main);
  void resume(unsigned threads);
  // Divides the ticks of rational time by a factor, and continues with a plan for the finer ticks.
  void refine(std::int64_t factor, nb::bytes plan);
  [[nodiscard]] std::size_t carried() const { return engine_->carried(); }
  void keep_profile() { prepared_.is_profiled = true; }
  // For each metric stratum in plan order: seconds, facts in, facts out, and the peak number of kept facts.
  std::vector<std::tuple<double, std::size_t, std::size_t, std::size_t>> profile();

  // Answers

  // Starts, ends, values and arguments of intervals, or times and arguments of events.
  nb::tuple answers(Index table, unsigned threads);
  // All rows of a table and kind in the results: see ResultKind.
  nb::object result_rows(Index table, std::uint8_t kind) const;
  std::unique_ptr<Trace> trace(Index stage, const Words& key) { return engine_->trace(stage, values_of(key)); }
  std::int64_t conflicts() const { return engine_->conflicts(); }

  // Changes

  void keep_changes(bool is_wanted) { engine_->keep_changes(is_wanted); }
  ChangeList changes(std::size_t most_causes) { return engine_->changes(most_causes); }
  void report_only(const std::vector<bool>& tables);
  // Derived events of a table that were added or removed since the previous query time: a flag for removed ones, times
  // and arguments.
  void keep_event_changes() { engine_->keep_event_changes(); }
  nb::tuple event_changes(Index table) const;
  // The inputs whose retraction found nothing: numbers, tables, starts, ends, values and arguments. Events have the
  // ends and values of points.
  std::vector<std::tuple<Cause, Index, Time, Time, std::uint64_t, Words>> lost() const;
  std::unique_ptr<Speller> speller(const nb::list& pieces, const nb::list& reserved, const nb::callable& write,
                                   const nb::callable& write_row) const;

  // State

  // `note` is a term that `load` returns.
  nb::bytes save(std::uint64_t note) const { return saved(note, {}); }
  std::uint64_t load(nb::bytes bytes);
  // Splits the state into parts. The first value of a key decides its part. The first part has the note.
  nb::list split(std::size_t parts, std::uint64_t note) const;
  std::uint64_t merge(nb::bytes bytes);

  // The rows that are kept of a table: stages, keys, starts, ends, values and arguments, one column after the other.
  nb::tuple kept(Index table);

  // Counts

  std::size_t late() const { return engine_->late(); }
  std::size_t unmatched() const { return engine_->unmatched(); }
  std::size_t evaluated() const { return engine_->evaluated(); }
  std::size_t time_points() const { return engine_->time_points(); }
  std::size_t keys() const { return engine_->keys(); }
  std::size_t rows() const { return engine_->rows(); }

 private:
  // Evaluates without holding the interpreter lock, and checks for signals meanwhile.
  template <typename Work>
  void watched(const Work& work) {
    try {
      const nb::gil_scoped_release release;
      const auto look = [] {
        const nb::gil_scoped_acquire acquire;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
      };
      work(look);
    } catch (const EvaluationStop& stop) {
      host_.stopped(stop, prepared_.plan.max_delayed_effects);
    }
  }
  static std::span<const std::byte> bytes_of(const nb::bytes& bytes);
  nb::bytes saved(std::uint64_t note, Engine::Part part) const;
  // An engine without state, with the settings of this one.
  std::unique_ptr<Engine> fresh_engine();
  // An engine with a saved state, and the note saved with it.
  std::pair<std::unique_ptr<Engine>, Value> read_engine(const nb::bytes& bytes);

  [[nodiscard]] const TableInfo& info(Index table) const;
  [[nodiscard]] const TableInfo& info(Index table, bool is_event) const;

  [[nodiscard]] bool keeps_changes() const { return engine_->keeps_changes(); }
  [[nodiscard]] Inputs::Head input_head(Index table, bool is_retraction, bool is_correction) const;
  static std::vector<Value> values_of(const Words& words);

  std::shared_ptr<TermTable> shared_terms_;
  TermTable& terms_;
  PythonHost host_;
  Prepared prepared_;
  std::uint64_t fingerprint_;
  Words one_row_;
  // Pushed event columns that have not been taken in yet.
  std::vector<std::pair<TimeArray, WordArray>> lent_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace holdsfor
