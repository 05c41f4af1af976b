// Operations for rational time only: finer ticks, which multiply all times by a factor; and streams without late facts,
// which are evaluated without keys.
#include <algorithm>
#include <stdexcept>

#include "engine.h"
#include "metric_plan.h"
#include "stage_shared.h"

namespace holdsfor {
namespace {

void refine(Value& cell, Time factor) { cell = time_cell(finer(time_of(cell), factor)); }

// Refines the words of a checkpoint of a stage with one component of metric predicates: see Sweep::run_phase.
class CheckpointRefiner {
 public:
  CheckpointRefiner(Checkpoint& checkpoint, Time factor) : words_(checkpoint.words), factor_(factor) {}

  void run(const MetricComponent& metric, const std::vector<Index>& carried, const std::vector<TableInfo>& tables) {
    ++at_;
    for (const Index width : carried) table(width);
    for (const MetricLink& link : metric.outputs) fluent(tables[link.table].columns);
  }

 private:
  std::uint64_t next() { return words_.at(at_++); }
  void time() {
    auto& word = words_.at(at_++);
    word = static_cast<std::uint64_t>(finer(static_cast<Time>(word), factor_));
  }
  void list() {
    for (std::uint64_t count = next(); count > 0; --count) {
      time();
      time();
    }
  }
  void table(Index width) {
    for (std::uint64_t rows = next(); rows > 0; --rows) {
      at_ += width;
      list();
    }
  }
  // See save_lists.
  void fluent(Index width) {
    at_ += next() * width;
    for (std::uint64_t pairs = next(); pairs > 0; --pairs) {
      at_ += 2;
      time();
      time();
      ++at_;
      list();
    }
  }

  std::vector<std::uint64_t>& words_;
  Time factor_;
  std::size_t at_ = 0;
};

void refine_results(Results& results, Time factor) {
  for (std::size_t at = 0; at < results.size(); at += result_head(&results[at]).width) {
    refine(results[at + 1], factor);
    refine(results[at + 2], factor);
  }
}

}  // namespace

void IntervalLog::refine(Time factor) {
  const std::span<Value> cells = cells_.edit();
  for (std::size_t at = 0; at < cells.size(); at += interval_head(&cells[at]).width) {
    for (std::size_t place = 1; place <= 3; ++place) holdsfor::refine(cells[at + place], factor);
  }
}

void StageStore::refine(Time factor, const std::vector<Index>& carried) {
  const MetricComponent& metric = *stage_.components.front().metric;
  for (KeyState& state : states_) {
    state.intervals.refine(factor);
    state.later.clear();
    refine_results(state.results, factor);
    if (state.base.time == kNever) continue;
    state.base.time *= factor;
    CheckpointRefiner(state.base, factor).run(metric, carried, prepared_.plan.tables);
  }
  if (!shared_) return;
  shared_->state.intervals.refine(factor);
  shared_->is_stale = true;
}

void Engine::refine(Time factor) {
  if (!prepared_.plan.is_rational || keeps_changes_) throw std::invalid_argument("ticks cannot become finer here");
  if (flow_) {
    flow_->refine(factor);
  } else {
    for (StageStore& stage : stages_) stage.refine(factor, evaluator(0).carried_widths(stage));
  }
  for (Edit& edit : edits_.all()) {
    for (std::size_t row = 0; row < edit.intervals.size(); ++row) {
      for (std::size_t place = 1; place <= 3; ++place) {
        holdsfor::refine(edit.intervals.cells[row * edit.intervals.width + place], factor);
      }
    }
  }
  if (query_ != kNever) query_ *= factor;
  mark_all_dirty();
}

void Engine::begin_flow() {
  for (const Stage& stage : prepared_.plan.stages) {
    for (const Component& component : stage.components) {
      if (!component.metric || !component.metric->is_final) continue;
      flow_ = std::make_unique<MetricFlow>(*component.metric, prepared_.plan.tables.size(), terms_, host_);
    }
  }
}

void Engine::advance_flow(Time query, const std::function<void()>& watch) {
  Watch now_and_then(is_stopped_, &watch);
  flow_->advance(query, prepared_.is_profiled, [&] { now_and_then.check(); });
  query_ = query;
  is_broken_ = false;
}

AnswerColumns Engine::flow_answers(Index table) const {
  const MetricTable* rows = flow_->found(table);
  if (rows == nullptr) throw std::invalid_argument("the table is no output");
  AnswerColumns found;
  const std::size_t count = rows->intervals();
  const Value holds = prepared_.plan.stages.front().components.front().metric->holds;
  found.starts = SizedColumn<std::int64_t>(count);
  found.ends = SizedColumn<std::int64_t>(count);
  found.values = SizedColumn<std::uint64_t>(count);
  found.words = SizedColumn<std::uint64_t>(count * rows->width());
  std::fill_n(found.values.cells.get(), count, holds.word());
  std::size_t place = 0;
  for (Index row = 0; row < rows->rows(); ++row) {
    for (const Interval& one : rows->list(row)) {
      found.starts.cells[place] = one.start;
      found.ends.cells[place] = one.end;
      std::uint64_t* words = found.words.cells.get() + place * rows->width();
      for (const Value value : rows->args(row)) *words++ = value.word();
      ++place;
    }
  }
  return found;
}

std::vector<MetricProfile> Engine::profile(const MetricComponent& metric) {
  if (flow_) return flow_->profile();
  std::vector<MetricProfile> found(metric.plan.strata.size());
  for (const auto& one : evaluators_) {
    const auto& measured = one->profile(metric);
    for (std::size_t i = 0; i < found.size(); ++i) {
      found[i].seconds += measured[i].seconds;
      found[i].facts_in += measured[i].facts_in;
      found[i].facts_out += measured[i].facts_out;
      found[i].most_kept = std::max(found[i].most_kept, measured[i].most_kept);
    }
  }
  return found;
}

std::size_t Engine::carried() const {
  std::size_t found = flow_ ? flow_->carried() : 0;
  for (const StageStore& stage : stages_) {
    for (Index slot = 0; slot < stage.slots(); ++slot) {
      const KeyState& state = stage.state(slot);
      const Checkpoint& last = state.later.empty() ? state.base : state.later.back().checkpoint;
      // The first word is the number of facts.
      if (!last.words.empty()) found += last.words.front();
    }
  }
  return found;
}

}  // namespace holdsfor
