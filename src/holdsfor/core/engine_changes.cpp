// Changes since the last report, with their causes.
#include <algorithm>

#include "engine.h"

namespace holdsfor {

void Engine::keep_changes(bool is_wanted) {
  keeps_changes_ = is_wanted;
  forget_reports();
}

void Engine::forget_reports() {
  for (StageStore& stage : stages_) {
    for (Index report = 0; report < stage.reports.size(); ++report) {
      const Index slot = stage.reports.slot(report);
      if (slot == kNone) continue;  // the report only holds causes of rows from other engines
      stage.state(slot).report = kNone;
      if (stage.state(slot).is_idle) forget(stage, slot);
      if (stage.is_tied()) stage.part_group(slot, widths_);
    }
    stage.reports.clear();
  }
  const auto& edits = edits_.all();
  const auto first = std::find_if(edits.begin(), edits.end(), [](const Edit& edit) { return edit.cause != kNoCause; });
  inputs_.forget_until(query_, first == edits.end() ? inputs_.next() : first->cause);
}

void Engine::keep_event_changes() {
  keeps_events_ = true;
  for (std::size_t stage = 0; stage < is_wanted_.size(); ++stage) {
    for (std::size_t table = 0; table < is_wanted_[stage].size(); ++table) {
      if (is_member_[stage][table] && prepared_.plan.tables[table].is_event()) is_wanted_[stage][table] = true;
    }
  }
}

bool Engine::is_cause_of(Cause cause, Index table) {
  const InputBatch* const batch = inputs_.find(cause);
  return batch != nullptr && dependencies_.depends(table, batch->table);
}

ChangeList Engine::changes(std::size_t most_causes) {
  const ReportTimes times{query_, window_.low(query_), reported_at_, window_.low(reported_at_)};
  ChangeList found;
  for (StageStore& stage : stages_) {
    if (share_ && share_->stage != stage.number()) continue;
    const Reports& reports = stage.reports;
    for (Index report = 0; report < reports.size(); ++report) {
      if (report + 6 < reports.size()) stage.fetch_state(reports.slot(report + 6));
      if (report + 3 < reports.size()) stage.fetch_reported(reports.slot(report + 3));
      add_changes(stage, report, times, most_causes, found);
    }
  }
  found.inputs = inputs_.batches();
  forget_reports();
  reported_at_ = query_;
  return found;
}

void Engine::add_changes(StageStore& stage, Index report, const ReportTimes& times, std::size_t most_causes,
                         ChangeList& into) {
  KeyState& state = stage.state(stage.reports.slot(report));
  const auto found = comparison_.compare(state.results, state.unreported.get(), state.reported, times);
  state.unreported.reset();
  if (found.empty()) return;
  const std::span<const Cause> inputs = causes_.inputs_behind(stages_, stage.number(), report);
  Index last_table = kNone;
  std::size_t causes_from = 0;
  std::size_t causes_to = 0;
  for (const PairChange& one : found) {
    if (!is_reported_.empty() && !is_reported_[one.table]) continue;
    into.entries.push_back({one.table, one.pair[0], one.change});
    into.columns.insert(into.columns.end(), one.pair + 1, one.pair + 1 + one.columns);
    into.offsets.push_back(static_cast<std::int64_t>(into.columns.size()));
    if (one.table != last_table) {
      // All fluents of a component share their causes.
      causes_from = into.causes.size();
      find_causes(inputs, one.table, most_causes, into.causes);
      causes_to = into.causes.size();
      last_table = one.table;
    } else {
      for (std::size_t at = causes_from; at < causes_to; ++at) into.causes.push_back(into.causes[at]);
      causes_from = into.causes.size() - (causes_to - causes_from);
      causes_to = into.causes.size();
    }
    into.cause_offsets.push_back(static_cast<std::int64_t>(into.causes.size()));
  }
}

std::span<const Cause> CauseFinder::inputs_behind(std::span<const StageStore> stages, Index stage, Index report) {
  found_.clear();
  next_.clear();
  const auto follow = [&](Index of_stage, Index number) {
    stages[of_stage].reports.for_causes(
        number, [&](Cause cause) { (is_report_cause(cause) ? next_ : found_).push_back(cause); });
  };
  follow(stage, report);
  // Many reports may share a cause. Follow it once for each stage.
  while (!next_.empty()) {
    reports_.swap(next_);
    next_.clear();
    drop_repeated(reports_);
    for (const Cause one : reports_) follow(stage_of_cause(one), report_of_cause(one));
  }
  drop_repeated(found_);
  return found_;
}

void CauseFinder::drop_repeated(std::vector<Cause>& causes) {
  std::sort(causes.begin(), causes.end());
  causes.erase(std::unique(causes.begin(), causes.end()), causes.end());
}

// Adds the latest inputs that a table depends on.
void Engine::find_causes(std::span<const Cause> inputs, Index table, std::size_t most, std::vector<Cause>& into) {
  const std::size_t from = into.size();
  for (std::size_t at = inputs.size(); at-- > 0 && into.size() - from < most;) {
    // In a distributed run, an input may also arrive with rows of earlier stages.
    const auto is_same = [&](Cause other) { return inputs_.are_equal(inputs[at], other); };
    const bool is_named = share_ && std::any_of(into.begin() + static_cast<std::ptrdiff_t>(from), into.end(), is_same);
    if (!is_named && is_cause_of(inputs[at], table)) into.push_back(inputs[at]);
  }
  std::reverse(into.begin() + static_cast<std::ptrdiff_t>(from), into.end());
}

}  // namespace holdsfor
