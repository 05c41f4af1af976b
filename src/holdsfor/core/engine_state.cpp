// Saves the state of an engine, whole or in parts, and takes such states in.
#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "engine.h"
#include "rows_io.h"
#include "state_io.h"

namespace holdsfor {
namespace {

// A hash of a term that is the same in every process.
std::uint64_t content_hash(Value value, const TermTable& terms) {
  if (!value.is_code()) return mix(1, value.word());
  const Term& term = terms[value];
  std::uint64_t found = mix(static_cast<std::uint64_t>(term.kind) + 2, std::bit_cast<std::uint64_t>(term.real));
  for (const char letter : term.text) found = mix(found, static_cast<unsigned char>(letter));
  if (term.kind == TermKind::kCompound) found = mix(found, content_hash(term.functor, terms));
  for (const Value item : term.items) found = mix(found, content_hash(item, terms));
  return found;
}

}  // namespace

void write_edits(StateWriter& into, const Edits& edits, const Plan& plan) {
  into.put(edits.all().size());
  for (const Edit& edit : edits.all()) {
    const bool is_event = plan.tables[edit.table].is_event();
    into.put(edit.table);
    into.put(edit.is_retraction ? 1 : 0);
    into.put_time(edit.cause);
    is_event ? write_events(into, edit.events) : write_rows(into, edit.intervals, 2);
    for (const bool is_point : edit.is_point) into.put(is_point ? 1 : 0);
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
      edit.intervals.width = columns + kIntervalHead;
      read_rows(from, edit.intervals, 2);
      for (std::size_t row = 0; row < edit.size(); ++row) edit.is_point.push_back(from.get_below(2) == 1);
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

std::string Engine::save(std::uint64_t fingerprint, Value note, Part part) const {
  require_whole();
  require_all_parts();
  StateWriter into(terms_);
  const bool is_main = part.number == 0;
  into.put_value(is_main ? note : Value::nothing());
  into.put(part.number);
  into.put(part.count);
  into.put_time(window_.size.value_or(0));
  into.put_time(window_.start);
  into.put(keeps_changes_ ? 1 : 0);
  into.put(is_begun_ || are_known_ ? 1 : 0);
  into.put_time(query_);
  into.put_time(reported_at_);
  into.put(is_main ? 1 : 0);
  if (is_main) {
    into.put(unmatched_);
    into.put(static_cast<std::uint64_t>(conflicts_));
    admission_.write(into);
    write_edits(into, edits_, prepared_.plan);
    inputs_.write(into);
  }
  const auto is_wanted = [&](std::span<const Value> key) {
    return key.empty() ? is_main : content_hash(key[0], terms_) % part.count == part.number;
  };
  CauseFinder finder;
  for (const StageStore& stage : stages_) {
    const auto causes_of = [&](Index report) { return finder.inputs_behind(stages_, stage.number(), report); };
    stage.write(into, widths_, is_main, is_wanted, causes_of);
  }
  return into.finish(fingerprint);
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
  if ((from.get_below(2) == 1) != keeps_changes_) {
    StateReader::refuse(keeps_changes_ ? "the state was saved without changes: load it without, or begin again"
                                       : "the state was saved with changes: load it with changes");
  }
  are_known_ = from.get_below(2) == 1;
  query_ = from.get_time();
  reported_at_ = from.get_time();
  if (from.get_below(2) == 1) {
    unmatched_ = from.get();
    conflicts_ = static_cast<std::int64_t>(from.get());
    admission_.read(from);
    read_edits(from, edits_, prepared_.plan);
    inputs_.read(from, prepared_.plan);
  }
  for (StageStore& stage : stages_) stage.read(from, widths_);
  if (!from.is_at_end()) StateReader::refuse("the saved state is damaged: something follows it");
  return note;
}

// Refuses what cannot be put together, before anything has changed.
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

// Gives inputs other numbers, in all that names them.
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

void Engine::absorb(Engine& other) {
  require_whole();
  check_parts(other);
  const bool is_new = query_ == kNever && keys() == 0;
  const bool are_known = other.are_known_ && (is_new || is_begun_ || are_known_);
  // Parts of one state have numbers in common; those of another engine are its own.
  if (other.is_part_here_.empty()) other.renumber_inputs(inputs_.next());
  if (is_part_here_.empty()) {
    is_part_here_ = other.is_part_here_;
  } else {
    for (std::size_t part = 0; part < is_part_here_.size(); ++part) {
      if (other.is_part_here_[part]) is_part_here_[part] = true;
    }
  }
  if (std::find(is_part_here_.begin(), is_part_here_.end(), false) == is_part_here_.end()) is_part_here_.clear();
  for (std::size_t stage = 0; stage < stages_.size(); ++stage) stages_[stage].absorb(other.stages_[stage]);
  query_ = std::max(query_, other.query_);
  reported_at_ = std::max(reported_at_, other.reported_at_);
  unmatched_ += other.unmatched_;
  conflicts_ += other.conflicts_;
  admission_.absorb(other.admission_);
  auto& edits = edits_.all();
  edits.insert(edits.end(), std::make_move_iterator(other.edits_.all().begin()),
               std::make_move_iterator(other.edits_.all().end()));
  other.edits_.clear();
  inputs_.absorb(other.inputs_);
  // Where `initially` has its keys is found again.
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
