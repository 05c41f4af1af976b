// Swap of rules: continues with other rules, see succession.h.
#include <algorithm>
#include <stdexcept>

#include "engine.h"
#include "stage_shared.h"

namespace holdsfor {

void Admission::succeed(const Admission& other, std::span<const Index> table_of) {
  late_ = other.late_;
  unmatched_ = other.unmatched_;
  for (std::size_t before = 0; before < other.waiting_.size(); ++before) {
    const Waiting& theirs = other.waiting_[before];
    if (table_of[before] == kNone || theirs.causes.empty()) continue;
    waiting_[table_of[before]].rows.width = theirs.rows.width;
    waiting_[table_of[before]].rows.append(theirs.rows);
    auto& causes = waiting_[table_of[before]].causes;
    causes.insert(causes.end(), theirs.causes.begin(), theirs.causes.end());
    waiting_count_ += theirs.causes.size();
  }
}

Time Engine::final_until() const {
  const Time low = window_.low(query_);
  const Time settle = prepared_.plan.settle;
  return query_ == kNever || low == kNever || settle == kForever ? kNever : moved(low, -settle);
}

void Engine::settle_at(Time border) {
  require_whole();
  if (border == kNever) return;
  for (StageStore& stage : stages_) {
    evaluator(0).begin(stage, window_, query_, {is_stopped_, nullptr}, {});
    if (stage.empty_checkpoint().empty()) stage.set_empty_checkpoint(evaluator(0).empty_checkpoint(stage));
    for (const Index slot : stage.slots_of([](std::span<const Value>) { return true; })) {
      if (stage.group_of(slot) == slot && stage.state(slot).base.time < border) {
        evaluator(0).settle_at(stage, slot, border, query_);
      }
    }
  }
}

void Engine::retire(const std::vector<bool>& tables) {
  require_whole();
  for (StageStore& stage : stages_) {
    for (const Index slot : stage.slots_of([](std::span<const Value>) { return true; })) {
      KeyState& state = stage.state(slot);
      if (state.reported.empty()) continue;
      Results rest;
      for (std::size_t at = 0; at < state.results.size();) {
        const Value* row = &state.results[at];
        const ResultHead head = result_head(row);
        if (!tables[head.table]) rest.insert(rest.end(), row, row + head.width);
        at += head.width;
      }
      // Checkpoints store result indexes, which are now invalid. They are created again.
      if (rest.size() != state.results.size()) state.later.clear();
      state.results = std::move(rest);
      if (state.report == kNone) state.report = stage.reports.add(slot);
    }
  }
}

void Engine::take_rows(Engine& earlier, const Heritage& how) {
  const Plan& plan = earlier.prepared_.plan;
  for (StageStore& stage : earlier.stages_) {
    const auto& is_wanted = earlier.is_home_[stage.number()];
    const auto take = [&](const Log& log, const IntervalLog& intervals, const EffectLog* effects) {
      succession_->add_log(plan, log, earlier.widths_, is_wanted, how);
      succession_->add_intervals(plan, intervals, is_wanted, how);
      if (effects != nullptr) succession_->add_effects(plan, *effects, is_wanted, how);
    };
    if (const KeyState* shared = stage.shared_state()) take(shared->log, shared->intervals, shared->effects.get());
    if (stage.parts() != nullptr) {
      stage.parts()->for_rows(
          [&](Index, const Log& log, const IntervalLog& intervals) { take(log, intervals, nullptr); });
    }
    for (Index slot = 0; slot < stage.slots(); ++slot) {
      const KeyState& state = stage.state(slot);
      take(state.log, state.intervals, state.effects.get());
    }
  }
}

void Engine::succeed(Engine& earlier, const Heritage& how, Time border) {
  earlier.require_whole();
  const std::size_t tables = earlier.prepared_.plan.tables.size();
  const bool fits = how.table_of.size() == tables && how.has_state.size() == tables &&
                    std::all_of(how.table_of.begin(), how.table_of.end(),
                                [&](Index table) { return table == kNone || table < prepared_.plan.tables.size(); });
  if (!fits || is_begun_ || share_ || (succession_ && succession_->border() != border)) {
    throw std::invalid_argument("an engine takes over from others before it begins");
  }
  if (!succession_) succession_ = std::make_unique<Succession>(prepared_, border);
  succession_->expect(how);
  for (StageStore& stage : earlier.stages_) {
    for (const Index slot : stage.slots_of([](std::span<const Value>) { return true; })) {
      const KeyState& state = stage.state(slot);
      succession_->add_checkpoint(earlier.prepared_, stage.number(), stage.keys().key(slot), state.base, how);
      if (how.is_main) succession_->add_reported(state.reported, how);
    }
  }
  take_rows(earlier, how);
  if (!how.is_main) return;
  earlier.renumber_inputs(inputs_.next());
  query_ = earlier.query_;
  reported_at_ = earlier.reported_at_;
  window_.origin = std::min(window_.origin, earlier.window_.origin);
  unmatched_ = earlier.unmatched() - earlier.admission_.unmatched();
  has_dropped_ = earlier.has_dropped_ && border != kNever;
  std::vector<Index> waiting = how.table_of;
  for (std::size_t table = 0; earlier.share_ && table < tables; ++table) {
    // Every stage that reads a table has its waiting rows.
    if (!earlier.is_home_[earlier.share_->stage][table]) waiting[table] = kNone;
  }
  admission_.succeed(earlier.admission_, waiting);
  inputs_.succeed(earlier.inputs_, how.table_of);
  for (Edit& edit : earlier.edits_.all()) {
    edit.table = how.table_of[edit.table];
    if (edit.table != kNone) edits_.all().push_back(std::move(edit));
  }
  earlier.edits_.clear();
}

void Engine::resume(unsigned threads, const std::function<void()>& watch) {
  require_whole();
  if (!succession_) throw std::invalid_argument("there is nothing to go on with");
  std::vector<bool> is_input(prepared_.plan.tables.size());
  for (std::size_t table = 0; table < is_input.size(); ++table) {
    const Role role = prepared_.plan.tables[table].role;
    is_input[table] = role == Role::kInputEvent || role == Role::kInputFluent;
  }
  succession_->deliver(is_input, deliveries_);
  // An engine that has not begun takes the rows in at the next `advance`.
  if (query_ != kNever) {
    is_broken_ = true;
    is_stopped_ = false;
    for (StageStore& stage : stages_) {
      for (auto& [key, state] : succession_->keys(stage.number())) {
        const bool has_border = succession_->border() != kNever;
        stage.adopt(key, has_border ? succession_->checkpoint(stage.number(), state) : Checkpoint{},
                    std::move(state.reported));
      }
    }
    find_initial(query_);
    is_begun_ = true;
    // An idle key must not be forgotten before its changes are reported.
    if (keeps_changes_) {
      for (StageStore& stage : stages_) stage.report_adopted();
    }
    run_stages(query_, threads, watch, false);
  }
  succession_.reset();
}

}  // namespace holdsfor
