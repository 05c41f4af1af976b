// Changes since the last report, with what caused them.
#include <algorithm>

#include "engine.h"

namespace holdsfor {

void Engine::keep_changes(bool is_wanted) {
  keeps_changes_ = is_wanted;
  forget_reports();
}

void Engine::forget_reports() {
  for (StageStore& stage : stages_) {
    for (const KeyReport& report : stage.reports) {
      stage.state(report.slot).report = kNone;
      if (stage.state(report.slot).is_idle) forget(stage, report.slot);
    }
    stage.reports.clear();
  }
  inputs_.forget_until(query_, edits_.all().empty() ? inputs_.next() : edits_.all().front().cause);
}

bool Engine::is_cause_of(Cause cause, Index table) {
  const InputBatch* const batch = inputs_.find(cause);
  return batch != nullptr && dependencies_.depends(table, batch->table);
}

ChangeList Engine::changes(std::size_t most_causes) {
  const ReportTimes times{query_, window_.low(query_), reported_at_};
  ChangeList found;
  for (StageStore& stage : stages_) {
    for (std::size_t at = 0; at < stage.reports.size(); ++at) {
      if (at + 6 < stage.reports.size()) stage.fetch_state(stage.reports[at + 6].slot);
      if (at + 3 < stage.reports.size()) stage.fetch_reported(stage.reports[at + 3].slot);
      add_changes(stage, stage.reports[at], times, most_causes, found);
    }
  }
  found.inputs = inputs_.batches();
  forget_reports();
  reported_at_ = query_;
  return found;
}

void Engine::add_changes(StageStore& stage, const KeyReport& report, const ReportTimes& times, std::size_t most_causes,
                         ChangeList& into) {
  KeyState& state = stage.state(report.slot);
  const auto found = comparison_.compare(state.results, state.unreported.get(), state.reported, times);
  state.unreported.reset();
  if (found.empty()) return;
  const std::vector<Cause> inputs = inputs_behind(report);
  Index last_table = kNone;
  std::size_t causes_from = 0;
  std::size_t causes_to = 0;
  for (const PairChange& one : found) {
    into.entries.push_back({one.table, one.pair[0], one.change});
    into.columns.insert(into.columns.end(), one.pair + 1, one.pair + 1 + one.columns);
    into.offsets.push_back(static_cast<std::int64_t>(into.columns.size()));
    if (one.table != last_table) {
      // The fluents of a component have the same causes.
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

// The inputs that reached a key, in order.
std::vector<Cause> Engine::inputs_behind(const KeyReport& report) const {
  std::vector<Cause> found;
  std::vector<const KeyReport*> waiting{&report};
  while (!waiting.empty()) {
    const KeyReport& one = *waiting.back();
    waiting.pop_back();
    for (const Cause cause : one.causes) {
      if (is_report_cause(cause)) {
        waiting.push_back(&stages_[stage_of_cause(cause)].reports[report_of_cause(cause)]);
      } else {
        found.push_back(cause);
      }
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

// The latest of them that a table depends on.
void Engine::find_causes(const std::vector<Cause>& inputs, Index table, std::size_t most, std::vector<Cause>& into) {
  const std::size_t from = into.size();
  for (std::size_t at = inputs.size(); at-- > 0 && into.size() - from < most;) {
    if (is_cause_of(inputs[at], table)) into.push_back(inputs[at]);
  }
  std::reverse(into.begin() + static_cast<std::ptrdiff_t>(from), into.end());
}

}  // namespace holdsfor
