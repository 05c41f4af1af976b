// Saves the state of an engine, whole or in parts, and loads such states.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>

#include "engine.h"
#include "rows_io.h"
#include "state_io.h"

namespace holdsfor {
namespace {

// Writes starts, ends and pairs, then which of the intervals are points.
void write_intervals(StateWriter& into, const RowSet& rows) {
  into.put(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    const Value* cells = rows.row(row);
    into.put_time(time_of(cells[1]));
    into.put_time(time_of(cells[2]));
    into.put_values({cells + 4, rows.width - 4});
  }
  for (std::size_t row = 0; row < rows.size(); ++row) into.put(interval_head(rows.row(row)).has(kIsPoint) ? 1 : 0);
}

void read_intervals(StateReader& from, Edit& edit) {
  constexpr std::size_t kTimes = 2;
  RowSet pairs{.width = edit.intervals.width - kIntervalRowHead + kTimes + 1, .cells = {}};
  read_rows(from, pairs, kTimes);
  IntervalHead head{.table = static_cast<std::uint16_t>(edit.table),
                    .width = static_cast<std::uint32_t>(edit.intervals.width)};
  for (std::size_t row = 0; row < pairs.size(); ++row) {
    const bool is_point = from.get_below(2) == 1;
    head.flags = static_cast<std::uint8_t>((edit.is_retraction ? kIsRetraction : 0) | (is_point ? kIsPoint : 0));
    const std::span<const Value> cells(pairs.row(row), pairs.width);
    const Time start = time_of(cells[0]);
    put_interval(head, start, time_of(cells[1]), start, cells.subspan(kTimes), edit.intervals.cells);
  }
}

}  // namespace

void write_edits(StateWriter& into, const Edits& edits, const Plan& plan) {
  into.put(edits.all().size());
  for (const Edit& edit : edits.all()) {
    const bool is_event = plan.tables[edit.table].is_event();
    into.put(edit.table);
    into.put(edit.is_retraction ? 1 : 0);
    into.put_time(edit.cause);
    is_event ? write_events(into, edit.events) : write_intervals(into, edit.intervals);
  }
}

void read_edits(StateReader& from, Edits& edits, const Plan& plan) {
  const std::size_t count = from.get_count(4);
  for (std::size_t i = 0; i < count; ++i) {
    Edit edit;
    edit.table = static_cast<Index>(from.get_below(plan.tables.size()));
    edit.is_retraction = from.get_below(2) == 1;
    edit.cause = from.get_cause();
    const bool is_event = plan.tables[edit.table].is_event();
    const std::size_t columns = plan.tables[edit.table].columns;
    if (is_event) {
      edit.events = EventRows(columns);
      read_events(from, edit.events);
    } else {
      edit.intervals.width = columns + kIntervalRowHead;
      read_intervals(from, edit);
    }
    edits.all().push_back(std::move(edit));
  }
}

void Admission::write(StateWriter& into) const {
  into.put(late_);
  into.put(unmatched_);
  for (const Waiting& waiting : waiting_) {
    write_rows(into, waiting.rows, kEventHead);
    for (const Cause cause : waiting.causes) into.put_time(cause);
  }
}

void Admission::read(StateReader& from) {
  late_ += from.get();
  unmatched_ += from.get();
  for (std::size_t table = 0; table < waiting_.size(); ++table) {
    Waiting& waiting = waiting_[table];
    const std::size_t before = waiting.rows.size();
    waiting.rows.width = plan_.tables[table].columns + kEventHead;
    read_rows(from, waiting.rows, kEventHead);
    const std::size_t added = waiting.rows.size() - before;
    if (added > 0 && !plan_.tables[table].is_event()) StateReader::refuse("the saved state is damaged: intervals wait");
    for (std::size_t row = 0; row < added; ++row) waiting.causes.push_back(from.get_cause());
    waiting_count_ += added;
  }
}

void Admission::absorb(const Admission& other) {
  late_ += other.late_;
  unmatched_ += other.unmatched_;
  waiting_count_ += other.waiting_count_;
  for (std::size_t table = 0; table < waiting_.size(); ++table) {
    const Waiting& theirs = other.waiting_[table];
    if (theirs.causes.empty()) continue;
    waiting_[table].rows.width = theirs.rows.width;
    waiting_[table].rows.append(theirs.rows);
    waiting_[table].causes.insert(waiting_[table].causes.end(), theirs.causes.begin(), theirs.causes.end());
  }
}

// Writes the beginning of every state. With `is_main`, the state outside keys follows.
void Engine::put_head(StateWriter& into, Value note, Part part, bool is_main) const {
  into.put_value(is_main ? note : Value::nothing());
  into.put(part.number);
  into.put(part.count);
  into.put_time(window_.size.value_or(0));
  into.put_time(window_.start);
  into.put_time(window_.origin);
  into.put(keeps_changes_ ? 1 : 0);
  into.put(is_begun_ || are_known_ ? 1 : 0);
  into.put_time(query_);
  into.put_time(reported_at_);
  into.put(is_main ? 1 : 0);
  if (!is_main) return;
  into.put(unmatched_);
  into.put(static_cast<std::uint64_t>(conflicts_));
  admission_.write(into);
  write_edits(into, edits_, prepared_.plan);
  inputs_.write(into);
}

std::string Engine::save(std::uint64_t fingerprint, Value note, Part part) const {
  require_whole();
  require_all_parts();
  StateWriter into(terms_);
  const bool is_main = part.number == 0;
  put_head(into, note, part, is_main);
  const BucketGrid buckets = grid();
  const auto is_wanted = [&](std::span<const Value> key) {
    return key.empty() ? is_main : buckets.part(key, part.count, terms_) == part.number;
  };
  CauseFinder finder;
  for (const StageStore& stage : stages_) {
    const auto causes_of = [&](Index report) { return finder.inputs_behind(stages_, stage.number(), report); };
    stage.write(into, widths_, is_main, stage.slots_of(is_wanted), is_wanted, causes_of);
  }
  if (flow_ && is_main) flow_->write(into);
  return into.finish(fingerprint);
}

std::string Engine::save_rest(std::uint64_t fingerprint, Value note) const {
  require_whole();
  StateWriter into(terms_);
  put_head(into, note, {}, true);
  const auto is_wanted = [](std::span<const Value>) { return false; };
  for (const StageStore& stage : stages_) stage.write(into, widths_, true, {}, is_wanted, {});
  return into.finish(fingerprint);
}

std::vector<Engine::SavedKeys> Engine::save_keys(std::uint64_t fingerprint, std::span<const Part> parts) const {
  require_whole();
  if (!share_) throw std::invalid_argument("only an engine with a share saves keys by parts");
  const StageStore& own = stages_[share_->stage];
  const BucketGrid buckets = grid();
  std::map<std::pair<std::size_t, std::size_t>, std::size_t> place_of;
  std::set<std::size_t> counts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    place_of[{parts[i].count, parts[i].number}] = i;
    counts.insert(parts[i].count);
  }
  std::vector<std::vector<Index>> slots(parts.size());
  for (const Index slot : own.slots_of([](std::span<const Value>) { return true; })) {
    for (const std::size_t count : counts) {
      const auto place = place_of.find({count, count == 1 ? 0 : buckets.part(own.keys().key(slot), count, terms_)});
      if (place != place_of.end()) slots[place->second].push_back(slot);
    }
  }
  std::vector<SavedKeys> found;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    StateWriter into(terms_);
    put_head(into, Value::nothing(), {}, false);
    const bool is_all = parts[i].count == 1;
    const auto is_wanted = [&](std::span<const Value>) { return is_all; };
    // What waits to be reported after a swap of rules has no causes.
    const auto no_causes = [](Index) { return std::span<const Cause>(); };
    for (const StageStore& stage : stages_) {
      const bool is_own = stage.number() == share_->stage;
      stage.write(into, widths_, false, is_own ? slots[i] : std::vector<Index>{}, is_wanted, no_causes);
    }
    SavedKeys& one = found.emplace_back();
    one.bytes = into.finish(fingerprint);
    one.keys = slots[i].size();
    for (const Index slot : slots[i]) {
      const KeyState& state = own.state(slot);
      one.rows += state.log.rows(widths_) + state.intervals.size();
      one.shown += count_reported(state.reported, window_.low(query_));
      one.wake = std::min(one.wake, state.wake);
    }
  }
  return found;
}

std::vector<Index> Engine::reached(Time query, std::size_t parts) const {
  if (!share_) return {};
  const Stage& stage = prepared_.plan.stages[share_->stage];
  const BucketGrid buckets = grid();
  std::vector<bool> is_reached(parts);
  std::vector<Value> key;
  const auto add = [&](Index table, const auto& argument) {
    for (const Route& route : stage.inputs) {
      if (route.table != table) continue;
      for (const auto& places : route.places) {
        key.clear();
        for (const Index place : places) key.push_back(argument(place));
        is_reached[buckets.part(key, parts, terms_)] = true;
      }
    }
  };
  const auto add_cells = [&](Index table, const RowSet& rows, std::size_t head) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      add(table, [&](Index place) { return rows.row(row)[head + place]; });
    }
  };
  const auto add_events = [&](Index table, const EventRows& rows) {
    for (std::size_t row = 0; row < rows.size(); ++row) {
      add(table, [&](Index place) { return Value::from_word(rows.args(row)[place]); });
    }
  };
  for (const Edit& edit : edits_.all()) {
    add_events(edit.table, edit.events);
    add_cells(edit.table, edit.intervals, kIntervalRowHead);
  }
  for (const Arrivals& some : deliveries_.events) add_events(some.table, some.rows);
  for (const IntervalArrivals& some : deliveries_.intervals) add_cells(some.table, some.rows, kIntervalRowHead);
  for (const EffectArrivals& some : deliveries_.effects) add_cells(some.table, some.rows, kEventHead);
  admission_.each_waiting([&](Index table, Time time, std::span<const Value> args) {
    if (time <= query) add(table, [&](Index place) { return args[place]; });
  });
  std::vector<Index> found;
  for (Index part = 0; part < parts; ++part) {
    if (is_reached[part]) found.push_back(part);
  }
  return found;
}

Time Engine::next_wake() {
  Time found = kForever;
  admission_.each_waiting([&](Index, Time time, std::span<const Value>) { found = std::min(found, time); });
  for (StageStore& stage : stages_) {
    if (!share_ || stage.number() == share_->stage) found = std::min(found, stage.next_wake());
  }
  return found;
}

namespace {

std::string in_words(Time size, Time start) {
  std::string found = size == 0 ? "no window" : "a window of " + std::to_string(size);
  if (start != kNever) found += " that starts at " + std::to_string(start);
  return found;
}

}  // namespace

Value Engine::read(StateReader& from) {
  const Value note = from.get_value();
  const std::uint64_t part = from.get();
  const std::uint64_t parts = from.get();
  if (part >= parts || parts > kMostParts) StateReader::refuse("the saved state is damaged: it has no such part");
  if (parts > 1) {
    is_part_here_.resize(parts);
    is_part_here_[part] = true;
  }
  const Time size = from.get_time();
  const Time start = from.get_time();
  if (size != window_.size.value_or(0) || start != window_.start) {
    StateReader::refuse("the state was saved with " + in_words(size, start) + ", not with " +
                        in_words(window_.size.value_or(0), window_.start) + ": load it with the same");
  }
  window_.origin = std::min(window_.origin, from.get_time());
  if ((from.get_below(2) == 1) != keeps_changes_) {
    StateReader::refuse(keeps_changes_ ? "the state was saved without changes: load it without, or begin again"
                                       : "the state was saved with changes: load it with changes");
  }
  are_known_ = from.get_below(2) == 1;
  // A saved state does not record whether rows were dropped. Assume it if the window has a size.
  has_dropped_ = window_.size.has_value();
  query_ = std::max(query_, from.get_time());
  reported_at_ = std::max(reported_at_, from.get_time());
  if (from.get_below(2) == 1) {
    unmatched_ = from.get();
    conflicts_ = static_cast<std::int64_t>(from.get());
    admission_.read(from);
    read_edits(from, edits_, prepared_.plan);
    inputs_.read(from, prepared_.plan);
  }
  for (StageStore& stage : stages_) stage.read(from, widths_);
  if (flow_ && part == 0) flow_->read(from);
  if (!from.is_at_end()) StateReader::refuse("the saved state is damaged: something follows it");
  return note;
}

// Refuses states that cannot be combined, before any change.
void Engine::check_parts(const Engine& other) const {
  const auto& here = is_part_here_;
  const auto& theirs = other.is_part_here_;
  const bool is_new = query_ == kNever && here.empty() && keys() == 0;
  if (here.size() != theirs.size() && !is_new) {
    StateReader::refuse(here.empty() ? "this is a part of a state: merge it into a new engine, and then the other parts"
                                     : "this is no part of the state whose parts are here");
  }
  for (std::size_t part = 0; part < std::min(here.size(), theirs.size()); ++part) {
    if (here[part] && theirs[part]) {
      StateReader::refuse("part " + std::to_string(part + 1) + " of the state is already here");
    }
  }
  if (query_ != kNever && other.query_ != kNever && query_ != other.query_) {
    StateReader::refuse("the state was saved at another query time");
  }
  for (std::size_t stage = 0; stage < stages_.size(); ++stage) stages_[stage].check_merge(other.stages_[stage]);
}

// Renumbers inputs everywhere.
void Engine::renumber_inputs(Cause more) {
  const auto renumber = [&](Cause& cause) {
    if (cause > kNoCause) cause += more;
  };
  inputs_.renumber(more);
  admission_.each_cause(renumber);
  for (Edit& edit : edits_.all()) renumber(edit.cause);
  for (StageStore& stage : stages_) {
    for (Index report = 0; report < stage.reports.size(); ++report) stage.reports.for_causes(report, renumber);
  }
}

void Engine::absorb_share(Engine& other) {
  require_whole();
  if (!share_) throw std::invalid_argument("only an engine with a share takes in states of others");
  other.renumber_inputs(inputs_.next());
  stages_[share_->stage].drop_others(other.stages_[share_->stage]);
  stages_[share_->stage].check_merge(other.stages_[share_->stage]);
  const bool is_new = query_ == kNever && keys() == 0;
  take_over(other, other.are_known_ && (is_new || is_begun_ || are_known_));
}

void Engine::absorb(Engine& other) {
  require_whole();
  check_parts(other);
  const bool is_new = query_ == kNever && keys() == 0;
  const bool are_known = other.are_known_ && (is_new || is_begun_ || are_known_);
  // Parts of one state share input numbers. Another engine has its own, which must be shifted.
  if (other.is_part_here_.empty()) other.renumber_inputs(inputs_.next());
  if (is_part_here_.empty()) {
    is_part_here_ = other.is_part_here_;
  } else {
    for (std::size_t part = 0; part < is_part_here_.size(); ++part) {
      if (other.is_part_here_[part]) is_part_here_[part] = true;
    }
  }
  if (std::find(is_part_here_.begin(), is_part_here_.end(), false) == is_part_here_.end()) is_part_here_.clear();
  take_over(other, are_known);
}

void Engine::take_over(Engine& other, bool are_known) {
  for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
    // A state of all stages has keys that a share has no use for.
    if (!share_ || share_->stage == stage) stages_[stage].absorb(other.stages_[stage]);
  }
  if (flow_ && other.flow_->has_begun()) flow_ = std::move(other.flow_);
  query_ = std::max(query_, other.query_);
  window_.origin = std::min(window_.origin, other.window_.origin);
  reported_at_ = std::max(reported_at_, other.reported_at_);
  unmatched_ += other.unmatched_;
  conflicts_ += other.conflicts_;
  has_dropped_ = has_dropped_ || other.has_dropped_;
  admission_.absorb(other.admission_);
  auto& edits = edits_.all();
  edits.insert(edits.end(), std::make_move_iterator(other.edits_.all().begin()),
               std::make_move_iterator(other.edits_.all().end()));
  other.edits_.clear();
  inputs_.absorb(other.inputs_);
  // Initial pairs are assigned to their keys again.
  are_known_ = are_known;
  is_begun_ = false;
  answers_.reset();
}

void Engine::require_whole() const {
  if (is_broken_) {
    throw std::runtime_error("an evaluation was stopped half-way: load a saved state, or begin again");
  }
  if (is_over_) throw std::runtime_error("the last query time is over: begin again");
}

void Engine::require_all_parts() const {
  if (is_part_here_.empty()) return;
  const auto missing = std::find(is_part_here_.begin(), is_part_here_.end(), false);
  StateReader::refuse("part " + std::to_string(missing - is_part_here_.begin() + 1) + " of " +
                      std::to_string(is_part_here_.size()) + " of the state is missing: merge it first");
}

}  // namespace holdsfor
