// What Python sees of the core.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <memory>

#include "arrow_abi.h"
#include "arrow_table.h"
#include "bindings_arrays.h"
#include "bindings_changes.h"
#include "bindings_trace.h"
#include "bindings_values.h"
#include "engine.h"
#include "python_host.h"

namespace nb = nanobind;

namespace holdsfor {
namespace {

using WordArray = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using TimeArray = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using FlagArray = nb::ndarray<const bool, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

class Core {
 public:
  // `like`: a core that it shares terms with, so that words mean the same in both.
  Core(nb::bytes plan, nb::object host, bool is_traced, const Core* like)
      : shared_terms_(like == nullptr ? std::make_shared<TermTable>() : like->shared_terms_),
        terms_(*shared_terms_),
        host_(std::move(host)),
        prepared_(read_plan(bytes_of(plan), terms_), is_traced),
        fingerprint_(checksum(std::as_bytes(std::span(prepared_.plan.fingerprint)))),
        engine_(std::make_unique<Engine>(prepared_, terms_, host_)) {
    // What the plan speaks of.
    terms_.keep_all();
  }

  // Terms

  std::uint64_t name(const std::string& text) { return terms_.name(text).word(); }
  std::uint64_t integer(std::int64_t number) { return terms_.integer(number).word(); }
  std::uint64_t real(double number) { return terms_.real(number).word(); }
  std::uint64_t big_integer(const std::string& digits) { return terms_.big_integer(digits).word(); }
  std::uint64_t compound(const std::string& functor, const Words& args) {
    return terms_.compound(terms_.name(functor), values_of(args)).word();
  }
  std::uint64_t list(const Words& items) { return terms_.list(values_of(items)).word(); }

  std::uint64_t partial_list(const Words& items, std::uint64_t tail) {
    return terms_.list(values_of(items), Value::from_word(tail)).word();
  }

  // Whole columns of terms.
  WordColumn words(const nb::list& objects) { return words_of_objects(terms_, objects); }
  WordColumn words_of_reals(const RealsGiven& numbers) { return holdsfor::words_of_reals(terms_, numbers); }
  nb::list values(const WordsGiven& words) const { return objects_of_words(terms_, words); }
  // Times and words of the events in a table (a capsule with an Arrow stream) with so many arguments, and the last of
  // the times. None if its columns need to be looked at more closely: then terms may have come that nothing refers to.
  std::optional<nb::tuple> table_events(const nb::capsule& table, std::size_t width, Time latest) {
    auto* stream = static_cast<ArrowArrayStream*>(table.data("arrow_array_stream"));
    auto found = read_events(*stream, width, latest, terms_);
    if (!found) return std::nullopt;
    return nb::make_tuple(array_of(std::move(found->times)), array_of(std::move(found->words)), found->last);
  }

  std::size_t terms() const { return terms_.used(); }
  // Forgets terms that nothing refers to: words that Python has of them are no longer valid, but for those in `keep`.
  void reclaim_terms(WordArray keep) {
    TermMarks marks(terms_);
    engine_->mark_terms(marks);
    for (std::size_t i = 0; i < keep.size(); ++i) marks.mark(keep(i));
    host_.forget_answers();
    terms_.reclaim(marks);
  }

  // How many items a list has; nothing if it is none.
  std::optional<std::size_t> length(std::uint64_t word) const {
    const Value value = Value::from_word(word);
    if (!value.is_code() || !terms_.is_list(value)) return std::nullopt;
    return terms_[value].items.size();
  }

  // The kind of a term and what it consists of.
  nb::tuple describe(std::uint64_t word) const {
    const Value value = Value::from_word(word);
    if (value.is_integer()) return nb::make_tuple("number", value.as_integer());
    if (value.is_real()) return nb::make_tuple("number", value.as_real());
    if (!value.is_code()) return nb::make_tuple("anything", nb::none());
    const Term& term = terms_[value];
    switch (term.kind) {
      case TermKind::kName:
        return nb::make_tuple("name", term.text);
      case TermKind::kReal:
        return nb::make_tuple("number", term.real);
      case TermKind::kBigInteger:
        return nb::make_tuple("big", term.text);
      case TermKind::kList:
        return nb::make_tuple("list", words_of(term.items));
      case TermKind::kCompound:
        break;
    }
    if (terms_.is_partial_list(value)) return nb::make_tuple("partial list", words_of(term.items));
    return nb::make_tuple("compound", terms_[term.functor].text, words_of(term.items));
  }

  // Input: the columns of events are read when time goes on, and must stay as they are until then.

  void set_window(std::optional<std::int64_t> size, std::optional<std::int64_t> start) {
    if (size && *size < 1) throw nb::value_error("a window has at least one time-point");
    if (start && *start == kForever) throw nb::value_error("the start is no time-point");
    engine_->set_window({.size = size, .start = start.value_or(kNever), .origin = engine_->window().origin});
  }
  void begin_at(Time origin) { engine_->begin_at(origin); }
  // Inserts or retracts rows. In a correction both belong together: changes say so of their causes.
  template <bool is_retraction>
  Cause edit_events(Index table, TimeArray times, WordArray words, bool is_correction, bool is_cause) {
    const std::size_t width = info(table, true).columns;
    if (words.size() != times.size() * width) throw nb::value_error("not as many words as the rows have columns");
    const std::span<const Time> all_times{times.data(), times.size()};
    const std::span<const std::uint64_t> all_words{words.data(), words.size()};
    const Cause cause =
        keeps_changes() && is_cause
            ? engine_->inputs().add_events(input_head(table, is_retraction, is_correction), all_times, all_words, width)
            : kNoCause;
    engine_->edits().add_events(table, is_retraction, cause, EventRows::borrowed(all_times, all_words, width));
    lent_.emplace_back(times, words);
    return cause;
  }
  template <bool is_retraction>
  Cause edit_intervals(Index table, TimeArray starts, TimeArray ends, WordArray values, WordArray words,
                       FlagArray is_point, bool is_correction, bool is_cause) {
    const std::size_t width = info(table, false).columns;
    const std::size_t count = starts.size();
    if (ends.size() != count || values.size() != count || is_point.size() != count || words.size() != count * width) {
      throw nb::value_error("columns of different lengths");
    }
    const Cause cause =
        keeps_changes() && is_cause
            ? engine_->inputs().add_intervals(input_head(table, is_retraction, is_correction), {starts.data(), count},
                                              {ends.data(), count}, {values.data(), count},
                                              {words.data(), words.size()}, {is_point.data(), count}, width)
            : kNoCause;
    engine_->edits().add_intervals(table, is_retraction, cause,
                                   {.starts = starts.data(),
                                    .ends = ends.data(),
                                    .values = values.data(),
                                    .words = words.data(),
                                    .is_point = is_point.data(),
                                    .size = count},
                                   width);
    return cause;
  }
  // Facts of a stream of metric rules that are never late: cells in which they begin and end, and words row by row.
  // How many of them begin before the time that was reached: that part is left out.
  std::size_t push_facts(Index table, const TimeArray& starts, const TimeArray& ends, const WordArray& words) {
    const std::size_t width = info(table, false).columns;
    const std::size_t count = starts.size();
    if (ends.size() != count || words.size() != count * width) throw nb::value_error("columns of different lengths");
    MetricFlow* flow = engine_->flow();
    if (flow == nullptr || !flow->reads(table)) throw nb::value_error("the table is no input of a final stream");
    std::size_t late = 0;
    std::vector<Value> tuple(width);
    for (std::size_t row = 0; row < count; ++row) {
      for (std::size_t i = 0; i < width; ++i) tuple[i] = Value::from_word(words(row * width + i));
      const Interval during{starts(row), ends(row)};
      if (!is_empty(during) && flow->push(table, tuple, during)) ++late;
    }
    return late;
  }
  // One event from Python objects.
  template <bool is_retraction>
  void edit_one(Index table, Time time, nb::tuple args) {
    const std::size_t width = info(table, true).columns;
    if (args.size() != width) throw nb::value_error("not as many arguments as the table has columns");
    one_row_.clear();
    for (const nb::handle arg : args) {
      const auto value = value_of_object(terms_, arg);
      if (!value) throw nb::type_error("an argument is neither text nor a number");
      one_row_.push_back(value->word());
    }
    const Cause cause = keeps_changes() ? engine_->inputs().add_events(input_head(table, is_retraction, false),
                                                                       {&time, 1}, one_row_, width)
                                        : kNoCause;
    engine_->edits().edit_for_event(table, is_retraction, cause, width).events.add(time, one_row_.data());
  }

  // Distributed runs

  // The engine has the keys of a stage that are in one of some buckets. `sides` by stage: see BucketGrid. `ties` has
  // numbers of tied keys, and the first of each group, by stage; if there are none, a stage with tied keys has one
  // bucket.
  using Ties = std::optional<std::pair<TimeArray, TimeArray>>;
  void set_share(Index stage, Index bucket, std::size_t buckets, const std::vector<std::vector<Index>>& sides,
                 const std::vector<Ties>& ties) {
    const auto& stages = prepared_.plan.stages;
    if (stage >= stages.size() || bucket >= buckets || sides.size() != stages.size()) {
      throw nb::value_error("there is no such share");
    }
    Share share{.stage = stage, .bucket = bucket, .grids = {}};
    for (std::size_t i = 0; i < sides.size(); ++i) {
      std::size_t cells = 1;
      for (const Index side : sides[i]) cells *= side;
      const bool fits = sides[i].empty() || sides[i].size() == stages[i].key;
      if (!fits || cells == 0 || cells > buckets) throw nb::value_error("a grid does not fit its stage");
      if (!stages[i].is_tied) {
        share.grids.emplace_back(buckets, sides[i]);
        continue;
      }
      const bool has_ties = i < ties.size() && ties[i].has_value();
      BucketGrid::Firsts firsts;
      for (std::size_t row = 0; has_ties && row < ties[i]->first.size(); ++row) {
        firsts.emplace(ties[i]->first(row), ties[i]->second(row));
      }
      share.grids.emplace_back(has_ties ? buckets : 1, std::move(firsts));
    }
    engine_->set_share(std::move(share));
  }
  // The buckets that rows of a table go to in a stage: numbers of rows, and a bucket for each.
  nb::tuple targets(Index stage, Index table, std::size_t count, WordArray words) const {
    const auto& share = engine_->share();
    if (!share || stage >= share->grids.size()) throw nb::value_error("there is no such share");
    const std::size_t width = info(table).columns;
    std::vector<std::int64_t> rows;
    std::vector<std::int64_t> buckets;
    if (words.size() != count * width) throw nb::value_error("not as many words as the rows have columns");
    std::vector<Value> args(width);
    std::vector<Index> found;
    for (const Route& route : prepared_.plan.stages[stage].inputs) {
      for (std::size_t row = 0; route.table == table && row < count; ++row) {
        for (std::size_t i = 0; i < width; ++i) args[i] = Value::from_word(words(row * width + i));
        share->grids[stage].find(route, args.data(), terms_, found);
        rows.insert(rows.end(), found.size(), static_cast<std::int64_t>(row));
        buckets.insert(buckets.end(), found.begin(), found.end());
      }
    }
    return nb::make_tuple(array_of(std::move(rows)), array_of(std::move(buckets)));
  }
  void receive(nb::bytes bytes) {
    StateReader reader(bytes_of(bytes), fingerprint_, terms_);
    engine_->receive(reader);
  }
  nb::list deliveries_for(Index stage) {
    if (stage >= prepared_.plan.stages.size()) throw nb::index_error("there is no such stage");
    nb::list found;
    for (const auto& [bucket, bytes] : engine_->deliveries_for(stage, fingerprint_)) {
      found.append(nb::make_tuple(bucket, nb::bytes(bytes.data(), bytes.size())));
    }
    return found;
  }

  // What is not of single keys of the share, and `load_share` takes in with some keys; see engine.h.
  nb::bytes save_rest(std::uint64_t note) const {
    const std::string bytes = engine_->save_rest(fingerprint_, Value::from_word(note));
    return nb::bytes(bytes.data(), bytes.size());
  }
  // For parts (their number, and of how many): bytes, keys, rows, intervals that are shown, and when the first wakes.
  nb::list save_keys(const std::vector<std::pair<std::size_t, std::size_t>>& parts) const {
    std::vector<Engine::Part> wanted;
    for (const auto& [number, count] : parts) {
      if (number >= count || count > Engine::kMostParts) throw nb::value_error("there is no such part");
      wanted.push_back({.number = number, .count = count});
    }
    nb::list found;
    for (const Engine::SavedKeys& one : engine_->save_keys(fingerprint_, wanted)) {
      found.append(
          nb::make_tuple(nb::bytes(one.bytes.data(), one.bytes.size()), one.keys, one.rows, one.shown, one.wake));
    }
    return found;
  }
  // Takes in what `save_rest` and `save_keys` gave, perhaps with another plan of the same shape, by its fingerprint.
  // The note of the rest that came last, or nothing.
  std::uint64_t load_share(const nb::list& saved, std::optional<nb::bytes> plan) {
    const std::uint64_t fingerprint = plan ? checksum(bytes_of(*plan)) : fingerprint_;
    auto fresh = fresh_engine();
    Value note = Value::nothing();
    for (const nb::handle one : saved) {
      StateReader reader(bytes_of(nb::cast<nb::bytes>(one)), fingerprint, terms_);
      const Value found = fresh->read(reader);
      if (!found.is_nothing()) note = found;
    }
    engine_->absorb_share(*fresh);
    return note.word();
  }
  std::vector<Index> reached(std::int64_t query, std::size_t parts) const { return engine_->reached(query, parts); }
  std::int64_t next_wake() { return engine_->next_wake(); }

  // Evaluation

  // The rows for which conditions had no value since the last call: site, values and the number of a reason of each.
  std::vector<std::tuple<std::uint32_t, Words, std::uint32_t>> failures() {
    std::vector<std::tuple<std::uint32_t, Words, std::uint32_t>> found;
    for (const auto& [site, rows] : host_.failures().take()) {
      for (const FailureLog::Row& row : rows) found.emplace_back(site, words_of(row.values), row.reason);
    }
    return found;
  }
  void forget_answers() { host_.forget_answers(); }
  // `is_last`: time does not go on afterwards; only answers are kept.
  void advance(std::int64_t query, unsigned threads, bool is_last) {
    watched([&](const std::function<void()>& look) { engine_->advance(query, threads, look, is_last); });
    lent_.clear();
  }
  void mark_all_dirty() { engine_->mark_all_dirty(); }
  void resume_at(std::optional<std::int64_t> time) { prepared_.resume_at = time; }
  void checkpoint_cells(std::optional<std::size_t> cells) { prepared_.checkpoint_cells = cells; }
  // Goes on with other rules: the plan has the same tables, stages and routes.
  void replan(nb::bytes plan) {
    Prepared other(read_plan(bytes_of(plan), terms_));
    if (other.plan.stages.size() != prepared_.plan.stages.size() ||
        other.plan.tables.size() != prepared_.plan.tables.size()) {
      throw nb::value_error("the plan has other tables or stages");
    }
    fingerprint_ = checksum(std::as_bytes(std::span(other.plan.fingerprint)));
    terms_.keep_all();
    prepared_.take_rules(std::move(other));
    engine_->mark_all_dirty();
  }

  // Other rules: see Engine::succeed. Delays by earlier table and number in its component, and the number here.

  std::optional<std::int64_t> final_until() const {
    const Time found = engine_->final_until();
    return found == kNever ? std::nullopt : std::optional(found);
  }
  bool has_all_rows() const { return engine_->has_all_rows(); }
  void settle_at(std::int64_t border) { engine_->settle_at(border); }
  void retire(const std::vector<bool>& tables) {
    if (tables.size() != prepared_.plan.tables.size()) throw nb::value_error("not as many flags as there are tables");
    engine_->retire(tables);
  }
  void succeed(Core& earlier, const std::vector<std::optional<Index>>& tables, const std::vector<bool>& has_state,
               const std::vector<std::tuple<Index, Index, Index>>& delays, std::optional<std::int64_t> border,
               bool is_main) {
    if (&terms_ != &earlier.terms_) throw nb::value_error("the engines do not share their terms");
    Heritage how{.table_of = {}, .has_state = has_state, .delay_of = {}, .is_main = is_main};
    for (const auto& table : tables) how.table_of.push_back(table.value_or(kNone));
    for (const auto& [table, number, now] : delays) how.delay_of[{table, number}] = now;
    engine_->succeed(*earlier.engine_, how, border.value_or(kNever));
    if (!is_main) return;
    lent_.insert(lent_.end(), earlier.lent_.begin(), earlier.lent_.end());
    earlier.lent_.clear();
  }
  void resume(unsigned threads) {
    watched([&](const std::function<void()>& look) { engine_->resume(threads, look); });
  }
  // Makes ticks of rational time so many times finer, and goes on with a plan that has those.
  void refine(std::int64_t factor, nb::bytes plan) {
    engine_->refine(factor);
    replan(std::move(plan));
  }
  [[nodiscard]] std::size_t carried() const { return engine_->carried(); }
  void keep_profile() { prepared_.is_profiled = true; }
  // Seconds, facts in and out, and the most that was kept, of each metric stratum in the order of the plan.
  std::vector<std::tuple<double, std::size_t, std::size_t, std::size_t>> profile() {
    std::vector<std::tuple<double, std::size_t, std::size_t, std::size_t>> found;
    for (const Stage& stage : prepared_.plan.stages) {
      for (const Component& component : stage.components) {
        if (!component.metric) continue;
        for (const MetricProfile& one : engine_->profile(*component.metric)) {
          found.emplace_back(one.seconds, one.facts_in, one.facts_out, one.most_kept);
        }
      }
    }
    return found;
  }

  // Answers

  // Starts, ends, values and arguments of intervals, or times and arguments of events.
  nb::tuple answers(Index table, unsigned threads) {
    const bool is_event = info(table).is_event();
    AnswerColumns found = engine_->answers(table, threads);
    if (is_event) return nb::make_tuple(array_of(std::move(found.starts)), array_of(std::move(found.words)));
    return nb::make_tuple(array_of(std::move(found.starts)), array_of(std::move(found.ends)),
                          array_of(std::move(found.values)), array_of(std::move(found.words)));
  }
  // All rows of a table and kind that were found: see ResultKind.
  nb::object result_rows(Index table, std::uint8_t kind) const {
    static_cast<void>(info(table));
    return nb::cast(array_of(words_of(engine_->result_rows(table, static_cast<ResultKind>(kind)).cells)));
  }
  std::unique_ptr<Trace> trace(Index stage, const Words& key) { return engine_->trace(stage, values_of(key)); }
  std::int64_t conflicts() const { return engine_->conflicts(); }

  // Changes

  void keep_changes(bool is_wanted) { engine_->keep_changes(is_wanted); }
  ChangeList changes(std::size_t most_causes) { return engine_->changes(most_causes); }
  void report_only(const std::vector<bool>& tables) {
    if (tables.size() != prepared_.plan.tables.size()) throw nb::value_error("not as many flags as there are tables");
    engine_->report_only(tables);
  }
  // Derived events of a table that have happened since the query time before, or have not after all: which of them
  // have not, their times and arguments.
  void keep_event_changes() { engine_->keep_event_changes(); }
  nb::tuple event_changes(Index table) const {
    const std::size_t width = info(table, true).columns;
    std::vector<std::int64_t> removed;
    std::vector<std::int64_t> times;
    Words words;
    for (const Engine::EventChange& one : engine_->event_changes()) {
      if (one.table != table) continue;
      removed.push_back(one.is_removed ? 1 : 0);
      times.push_back(one.time);
      for (std::size_t i = 0; i < width; ++i) words.push_back(engine_->event_arguments()[one.args + i].word());
    }
    return nb::make_tuple(array_of(std::move(removed)), array_of(std::move(times)), array_of(std::move(words)));
  }
  // The inputs that took back what was not there: their numbers, tables, starts, ends and values (of events: as those
  // of points), and arguments.
  std::vector<std::tuple<Cause, Index, Time, Time, std::uint64_t, Words>> lost() const {
    std::vector<std::tuple<Cause, Index, Time, Time, std::uint64_t, Words>> found;
    for (const Cause cause : engine_->lost()) {
      const InputBatch* batch = engine_->inputs().find(cause);
      if (batch == nullptr) continue;
      const auto row = static_cast<std::size_t>(cause - batch->first);
      Words args;
      for (std::size_t i = 0; i < batch->width; ++i) args.push_back(batch->args[row * batch->width + i].word());
      const Value value = batch->is_event() ? Value::nothing() : batch->values[row];
      found.emplace_back(cause, batch->table, batch->starts[row], batch->end_of(row), value.word(), std::move(args));
    }
    return found;
  }
  std::unique_ptr<Speller> speller(const nb::list& pieces, const nb::list& reserved, const nb::callable& write,
                                   const nb::callable& write_row) const {
    return make_speller(terms_, pieces, reserved, write, write_row);
  }

  // State

  // `note` is a term that `load` gives back.
  nb::bytes save(std::uint64_t note) const { return saved(note, {}); }
  std::uint64_t load(nb::bytes bytes) {
    auto [fresh, note] = read_engine(bytes);
    fresh->require_all_parts();
    engine_ = std::move(fresh);
    lent_.clear();
    return note.word();
  }
  // The state in parts: each key is in one of them, by its first value; the note is in the first.
  nb::list split(std::size_t parts, std::uint64_t note) const {
    if (parts == 0 || parts > Engine::kMostParts) throw nb::value_error("a state has 1 to 65,536 parts");
    nb::list found;
    for (std::size_t part = 0; part < parts; ++part) found.append(saved(note, {.number = part, .count = parts}));
    return found;
  }
  std::uint64_t merge(nb::bytes bytes) {
    auto [other, note] = read_engine(bytes);
    engine_->absorb(*other);
    return note.word();
  }

  // What is kept of a table: stages, keys, starts, ends, values and arguments of its rows, one after the other.
  nb::tuple kept(Index table) {
    static_cast<void>(info(table));
    const RowSet rows = engine_->kept(table);
    return nb::make_tuple(rows.width, array_of(words_of(rows.cells)));
  }

  // Counts

  std::size_t late() const { return engine_->late(); }
  std::size_t unmatched() const { return engine_->unmatched(); }
  std::size_t evaluated() const { return engine_->evaluated(); }
  std::size_t time_points() const { return engine_->time_points(); }
  std::size_t keys() const { return engine_->keys(); }
  std::size_t rows() const { return engine_->rows(); }

 private:
  // Evaluates without the interpreter, and looks for signals meanwhile.
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
  static std::span<const std::byte> bytes_of(const nb::bytes& bytes) {
    return {static_cast<const std::byte*>(bytes.data()), bytes.size()};
  }
  nb::bytes saved(std::uint64_t note, Engine::Part part) const {
    const std::string bytes = engine_->save(fingerprint_, Value::from_word(note), part);
    return nb::bytes(bytes.data(), bytes.size());
  }
  // An engine without a state, and otherwise like this one.
  std::unique_ptr<Engine> fresh_engine() {
    auto fresh = std::make_unique<Engine>(prepared_, terms_, host_);
    fresh->set_window(engine_->window());
    if (engine_->share()) fresh->set_share(*engine_->share());
    fresh->keep_changes(engine_->keeps_changes());
    return fresh;
  }
  // The same with a saved state, and the note that was saved with it.
  std::pair<std::unique_ptr<Engine>, Value> read_engine(const nb::bytes& bytes) {
    auto fresh = fresh_engine();
    StateReader reader(bytes_of(bytes), fingerprint_, terms_);
    const Value note = fresh->read(reader);
    return {std::move(fresh), note};
  }

  [[nodiscard]] const TableInfo& info(Index table) const {
    if (table >= prepared_.plan.tables.size()) throw nb::index_error("there is no such table");
    return prepared_.plan.tables[table];
  }
  [[nodiscard]] const TableInfo& info(Index table, bool is_event) const {
    const TableInfo& found = info(table);
    if (found.is_event() != is_event) {
      throw nb::value_error(is_event ? "the table has intervals, not events" : "the table has events, not intervals");
    }
    return found;
  }

  [[nodiscard]] bool keeps_changes() const { return engine_->keeps_changes(); }
  [[nodiscard]] Inputs::Head input_head(Index table, bool is_retraction, bool is_correction) const {
    constexpr InputKind kKinds[2][2] = {{InputKind::kArrived, InputKind::kCorrection},
                                        {InputKind::kRetracted, InputKind::kCorrected}};
    return {.table = table, .kind = kKinds[is_retraction][is_correction], .known_until = engine_->query()};
  }
  static std::vector<Value> values_of(const Words& words) {
    std::vector<Value> found;
    for (const std::uint64_t word : words) found.push_back(Value::from_word(word));
    return found;
  }

  std::shared_ptr<TermTable> shared_terms_;
  TermTable& terms_;
  PythonHost host_;
  Prepared prepared_;
  std::uint64_t fingerprint_;
  Words one_row_;
  // Columns of events that were pushed and are not taken in yet.
  std::vector<std::pair<TimeArray, WordArray>> lent_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace
}  // namespace holdsfor

NB_MODULE(_core, module) {
  // What is left when the interpreter ends is nobody's loss.
  nb::set_leak_warnings(false);
  using holdsfor::Core;
  using holdsfor::Value;
  module.def("interval_ids", &holdsfor::ids_of_intervals);
  holdsfor::bind_changes(module);
  holdsfor::bind_trace(module);
  module.def("codes_of_words", &holdsfor::codes_of_words);
  nb::class_<Core>(module, "Core", nb::is_weak_referenceable())
      .def(nb::init<nb::bytes, nb::object, bool, const Core*>(), nb::arg("plan"), nb::arg("host"),
           nb::arg("is_traced") = false, nb::arg("like").none() = nb::none())
      .def("name", &Core::name)
      .def("integer", &Core::integer)
      .def("real", &Core::real)
      .def("big_integer", &Core::big_integer)
      .def("compound", &Core::compound)
      .def("list", &Core::list)
      .def("partial_list", &Core::partial_list)
      .def("words", &Core::words)
      .def("words_of_reals", &Core::words_of_reals)
      .def("values", &Core::values)
      .def("table_events", &Core::table_events)
      .def("describe", &Core::describe)
      .def("length", &Core::length)
      .def("failures", &Core::failures)
      .def("forget_answers", &Core::forget_answers)
      .def_prop_ro("terms", &Core::terms)
      .def("reclaim_terms", &Core::reclaim_terms, nb::arg("keep"))
      .def("set_window", &Core::set_window, nb::arg("size").none(), nb::arg("start") = nb::none())
      .def("insert_events", &Core::edit_events<false>, nb::arg("table"), nb::arg("times"), nb::arg("words"),
           nb::arg("is_correction") = false, nb::arg("is_cause") = true)
      .def("retract_events", &Core::edit_events<true>, nb::arg("table"), nb::arg("times"), nb::arg("words"),
           nb::arg("is_correction") = false, nb::arg("is_cause") = true)
      .def("push_facts", &Core::push_facts)
      .def("insert_intervals", &Core::edit_intervals<false>, nb::arg("table"), nb::arg("starts"), nb::arg("ends"),
           nb::arg("values"), nb::arg("words"), nb::arg("is_point"), nb::arg("is_correction") = false,
           nb::arg("is_cause") = true)
      .def("retract_intervals", &Core::edit_intervals<true>, nb::arg("table"), nb::arg("starts"), nb::arg("ends"),
           nb::arg("values"), nb::arg("words"), nb::arg("is_point"), nb::arg("is_correction") = false,
           nb::arg("is_cause") = true)
      .def("push_one", &Core::edit_one<false>)
      .def("retract_one", &Core::edit_one<true>)
      .def("advance", &Core::advance, nb::arg("query"), nb::arg("threads") = 1U, nb::arg("is_last") = false)
      .def("set_share", &Core::set_share, nb::arg("stage"), nb::arg("bucket"), nb::arg("buckets"), nb::arg("sides"),
           nb::arg("ties") = std::vector<Core::Ties>())
      .def("targets", &Core::targets)
      .def("receive", &Core::receive)
      .def("deliveries_for", &Core::deliveries_for)
      .def("save_rest", &Core::save_rest, nb::arg("note") = Value::nothing().word())
      .def("save_keys", &Core::save_keys)
      .def("load_share", &Core::load_share, nb::arg("saved"), nb::arg("plan").none() = nb::none())
      .def("reached", &Core::reached)
      .def("next_wake", &Core::next_wake)
      .def("mark_all_dirty", &Core::mark_all_dirty)
      .def("begin_at", &Core::begin_at, nb::arg("origin"))
      .def("resume_at", &Core::resume_at, nb::arg().none())
      .def("checkpoint_cells", &Core::checkpoint_cells, nb::arg().none())
      .def("replan", &Core::replan)
      .def("final_until", &Core::final_until)
      .def("has_all_rows", &Core::has_all_rows)
      .def("settle_at", &Core::settle_at)
      .def("retire", &Core::retire)
      .def("succeed", &Core::succeed, nb::arg("earlier"), nb::arg("tables"), nb::arg("has_state"), nb::arg("delays"),
           nb::arg("border").none(), nb::arg("is_main"))
      .def("resume", &Core::resume, nb::arg("threads") = 1U)
      .def("refine", &Core::refine)
      .def("keep_profile", &Core::keep_profile)
      .def("profile", &Core::profile)
      .def("answers", &Core::answers, nb::arg("table"), nb::arg("threads") = 1U)
      .def("result_rows", &Core::result_rows)
      .def("trace", &Core::trace, nb::keep_alive<0, 1>())
      .def("conflicts", &Core::conflicts)
      .def("keep_changes", &Core::keep_changes)
      .def("changes", &Core::changes, nb::arg("most_causes") = std::size_t{8})
      .def("report_only", &Core::report_only)
      .def("keep_event_changes", &Core::keep_event_changes)
      .def("event_changes", &Core::event_changes)
      .def("lost", &Core::lost)
      .def("speller", &Core::speller, nb::keep_alive<0, 1>())
      .def("save", &Core::save, nb::arg("note") = Value::nothing().word())
      .def("load", &Core::load)
      .def("split", &Core::split, nb::arg("parts"), nb::arg("note") = Value::nothing().word())
      .def("merge", &Core::merge)
      .def("kept", &Core::kept)
      .def_prop_ro("carried", &Core::carried)
      .def_prop_ro("late", &Core::late)
      .def_prop_ro("unmatched", &Core::unmatched)
      .def_prop_ro("evaluated", &Core::evaluated)
      .def_prop_ro("time_points", &Core::time_points)
      .def_prop_ro("keys", &Core::keys)
      .def_prop_ro("rows", &Core::rows);
}
