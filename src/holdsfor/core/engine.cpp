#include "engine.h"

#include <algorithm>
#include <stdexcept>

#include "crew.h"

namespace holdsfor {
namespace {

// Keys in a chunk, at most; and chunks whose output buffers are kept for the next stage.
constexpr std::size_t kKeysAtOnce = 64;
constexpr std::size_t kFewChunks = 64;
// Log cells that take a few milliseconds to evaluate, and the fixed cost of a key in cells.
constexpr std::size_t kQuickCells = 100'000;
constexpr std::size_t kCellsOfKey = 64;
// Prefetch distances in keys: for states, rows and checkpoints.
constexpr std::size_t kStatesAhead = 6;
constexpr std::size_t kRowsAhead = 3;
constexpr std::size_t kCheckpointsAhead = 1;

}  // namespace

Engine::Engine(const Prepared& prepared, TermTable& terms, Host& host)
    : prepared_(prepared),
      terms_(terms),
      host_(host),
      widths_(prepared.plan),
      admission_(prepared.plan),
      comparison_(prepared.plan.tables),
      dependencies_(prepared.plan) {
  const auto count = static_cast<Index>(prepared.plan.stages.size());
  conditions_.reserve(count);
  stages_.reserve(count);
  for (Index stage = 0; stage < count; ++stage) {
    conditions_.emplace_back(prepared, stage);
    stages_.emplace_back(prepared, stage, terms, host);
  }
  find_readers();
  begin_flow();
}

Engine::~Engine() = default;

void Engine::find_readers() {
  const std::size_t tables = prepared_.plan.tables.size();
  std::vector<bool> has_home(tables);
  for (const Stage& stage : prepared_.plan.stages) {
    auto& is_home = is_home_.emplace_back(tables);
    auto& is_member = is_member_.emplace_back(tables);
    is_wanted_.emplace_back(tables);
    for (const Route& member : stage.members) is_member[member.table] = true;
    for (const Route& route : stage.inputs) {
      if (!has_home[route.table]) is_home[route.table] = has_home[route.table] = true;
      for (std::size_t earlier = 0; earlier + 1 < is_member_.size(); ++earlier) {
        if (is_member_[earlier][route.table]) is_wanted_[earlier][route.table] = true;
      }
    }
  }
}

KeyEvaluator& Engine::evaluator(unsigned thread) {
  while (evaluators_.size() <= thread) {
    evaluators_.push_back(std::make_unique<KeyEvaluator>(prepared_, terms_, host_, widths_, conditions_));
  }
  return *evaluators_[thread];
}

void Engine::mark_all_dirty() {
  is_begun_ = false;
  are_known_ = false;
  // Row conditions may also depend on facts.
  evaluators_.clear();
  conditions_.clear();
  for (StageStore& stage : stages_) {
    conditions_.emplace_back(prepared_, stage.number());
    stage.forget_conditions(widths_);
  }
  if (flow_) flow_->replace_rules(*prepared_.plan.stages.front().components.front().metric, terms_, host_);
}

void Engine::begin_at(Time origin) {
  if (prepared_.plan.is_rational) {
    window_.origin = origin;
    return;
  }
  if (origin >= window_.origin) return;
  window_.origin = origin;
  if (is_begun_ || are_known_) mark_all_dirty();
}

// If a row mentions a time before 0, that time becomes the origin.
void Engine::find_origin() {
  const auto has_metric = [](const Stage& stage) {
    return std::any_of(stage.components.begin(), stage.components.end(),
                       [](const Component& one) { return one.metric != nullptr; });
  };
  const auto& stages = prepared_.plan.stages;
  if (prepared_.plan.is_rational || !std::any_of(stages.begin(), stages.end(), has_metric)) return;
  Time first = window_.start == kNever ? 0 : std::min<Time>(0, moved(window_.start, 1));
  for (const Edit& edit : edits_.all()) {
    for (std::size_t row = 0; row < edit.events.size(); ++row) first = std::min(first, edit.events.time(row));
    for (std::size_t row = 0; row < edit.intervals.size(); ++row) {
      const Time start = time_of(edit.intervals.row(row)[1]);
      if (start != kNever) first = std::min(first, start);
    }
  }
  begin_at(first);
}

// Evaluation

void Engine::advance(Time query, unsigned threads, const std::function<void()>& watch, bool is_last) {
  require_whole();
  require_all_parts();
  if (query == kForever || query == kNever) throw std::invalid_argument("the query time is no time-point");
  if (query < query_) throw std::invalid_argument("the query time lies before the last one");
  is_broken_ = true;
  is_stopped_ = false;
  answers_.reset();
  if (flow_) return advance_flow(query, watch);
  find_origin();
  if (!is_begun_) find_initial(query);
  is_begun_ = true;
  event_changes_.clear();
  event_arguments_.clear();
  first_event_ = window_.first(query);
  admission_.admit(edits_, window_, query, deliveries_);
  lost_ = admission_.lost();
  edits_.clear();
  run_stages(query, threads, watch, is_last);
}

// Evaluates the keys that delivered rows reach, stage by stage.
void Engine::run_stages(Time query, unsigned threads, const std::function<void()>& watch, bool is_last) {
  for (StageStore& stage : stages_) {
    if (share_ && stage.number() != share_->stage) continue;
    for (Arrivals& arrivals : deliveries_.events) arrivals.is_counted = is_home_[stage.number()][arrivals.table];
    run_stage(stage, query, threads, watch, is_last);
    if (succession_) succession_->deliver(is_member_[stage.number()], deliveries_);
  }
  if (share_) outgoing_ = std::move(deliveries_);
  deliveries_.clear();
  query_ = query;
  is_broken_ = false;
  is_over_ = is_last;
}

void Engine::find_initial(Time query) {
  World world(prepared_, terms_, host_);
  world.query = query;
  Machine machine(world);
  std::vector<GroundPair> initial;
  for (const Condition& rule : prepared_.plan.initially) {
    machine.run(rule.program, [&](const Machine::Frame& frame) {
      GroundPair pair{.table = rule.pair.table, .columns = {}, .value = machine.build(rule.pair.value, frame)};
      for (const Shape& shape : rule.pair.columns) pair.columns.push_back(machine.build(shape, frame));
      initial.push_back(std::move(pair));
      return false;
    });
  }
  for (StageStore& stage : stages_) stage.begin(initial, are_known_);
  are_known_ = false;
}

// Shares

void Engine::set_share(Share share) {
  if (is_begun_ || keys() > 0) throw std::invalid_argument("the engine has begun: its share cannot change");
  share_ = std::move(share);
  for (StageStore& stage : stages_) {
    stage.set_own([this, number = stage.number()](std::span<const Value> key) {
      return number == share_->stage && share_->grids[number].bucket(key, terms_) == share_->bucket;
    });
  }
}

void Engine::receive(StateReader& from) {
  // Stages of other shares have no keys here. Reports of the first stage hold the causes of received rows.
  ReceivedCauses causes{.inputs = inputs_, .reports = stages_.front().reports, .stage = 0};
  const bool has_causes = keeps_changes_ && share_ && share_->stage > 0;
  read_exchange(from, prepared_.plan, deliveries_, has_causes ? &causes : nullptr);
}

std::vector<std::pair<Index, std::string>> Engine::deliveries_for(Index stage, std::uint64_t fingerprint) {
  if (!share_ || stage <= share_->stage) return {};
  Exchange exchange(prepared_.plan.stages[stage], share_->grids[stage], terms_);
  exchange.add(outgoing_, is_member_[share_->stage]);
  std::vector<Cause> one(1);
  return exchange.finish(fingerprint, inputs_, [&](Cause cause) -> std::span<const Cause> {
    if (is_report_cause(cause)) return causes_.inputs_behind(stages_, stage_of_cause(cause), report_of_cause(cause));
    one[0] = cause;
    return one;
  });
}

// Whether the work takes no longer than starting threads, and is short enough for a stop request to wait.
bool Engine::is_quick(StageStore& stage, std::size_t cells) const {
  cells += stage.work().size() * kCellsOfKey;
  for (const StageStore::Work& work : stage.work()) {
    if (cells > kQuickCells) return false;
    cells += stage.state(work.slot).log.cells().size();
  }
  return cells <= kQuickCells;
}

void Engine::run_stage(StageStore& stage, Time query, unsigned threads, const std::function<void()>& watch,
                       bool is_last) {
  const Index number = stage.number();
  const KeyEvaluator::Mode mode{.is_last = is_last, .no_changes = !keeps_changes_};
  evaluator(0).begin(stage, window_, query, {is_stopped_, &watch}, mode);
  const Time border = evaluator(0).border();
  if ((border != kNever || succession_) && stage.empty_checkpoint().empty()) {
    stage.set_empty_checkpoint(evaluator(0).empty_checkpoint(stage));
  }
  // Count incoming rows before they are handed over.
  std::size_t incoming = 0;
  for (const Arrivals& arrivals : deliveries_.events)
    incoming += arrivals.rows.size() * (arrivals.rows.width() + kLogHead);
  for (const IntervalArrivals& arrivals : deliveries_.intervals) incoming += arrivals.rows.cells.size();
  // A few rows are grouped faster than threads start.
  const auto grouping =
      static_cast<unsigned>(std::clamp<std::size_t>(incoming / kQuickCells, 1, std::max(threads, 1U)));
  static_cast<void>(evaluator(grouping - 1));
  const IntakeCrew crew{
      .threads = grouping,
      .tester = [&](unsigned thread) -> RowTester& { return evaluators_[thread]->writer(number).tester(); },
      .share =
          [&](std::size_t count, const IntakeCrew::Work& work) {
            if (grouping == 1) return work(0, 0);
            do_all(count, grouping, work, watch, is_stopped_);
          }};
  for (const StageStore::Joining& joining : stage.tie_keys(deliveries_)) {
    stage.finish_joining(joining, evaluator(0).join_states(stage, joining.slots, query_));
  }
  stage.deliver(deliveries_, window_, query, border, evaluator(0).writer(number), crew, widths_, is_home_[number]);
  if (succession_ && succession_->border() != kNever) {
    stage.begin_at(succession_->border(), succession_->has_state());
  }
  const auto work = stage.work();
  // Outputs of chunks are combined in order, so answers are the same for any number of threads.
  const std::size_t at_once = std::clamp<std::size_t>(work.size() / (std::size_t{threads} * 8 + 1), 1, kKeysAtOnce);
  const std::size_t chunks = (work.size() + at_once - 1) / at_once;
  if (outputs_.size() < chunks) outputs_.resize(chunks);
  const auto wanted = static_cast<unsigned>(std::clamp<std::size_t>(threads, 1, std::max<std::size_t>(chunks, 1)));
  for (unsigned thread = 1; thread < wanted; ++thread) {
    evaluator(thread).begin(stage, window_, query, {is_stopped_, nullptr}, mode);
  }
  const auto evaluate_chunk = [&](unsigned thread, std::size_t chunk) {
    StageOutput& output = outputs_[chunk];
    output.clear();
    const std::size_t last = std::min(work.size(), (chunk + 1) * at_once);
    for (std::size_t at = chunk * at_once; at < last; ++at) {
      if (at + kStatesAhead < last) stage.fetch_state(work[at + kStatesAhead].slot);
      if (at + kRowsAhead < last) stage.fetch_rows(work[at + kRowsAhead].slot);
      if (at + kCheckpointsAhead < last) stage.fetch_checkpoint(work[at + kCheckpointsAhead].slot);
      evaluators_[thread]->evaluate(stage, work[at], is_wanted_[number], output);
    }
  };
  if (is_quick(stage, incoming)) {
    for (std::size_t chunk = 0; chunk < chunks; ++chunk) evaluate_chunk(0, chunk);
  } else {
    do_all(chunks, wanted, evaluate_chunk, watch, is_stopped_);
  }
  stage.finish_compaction(window_, query, widths_);
  // Shared rows and rows by partial key are dropped even without keys.
  has_dropped_ = has_dropped_ || (border != kNever && (stage.parts() != nullptr || stage.shared_state() != nullptr));
  for (const auto& one : evaluators_) has_dropped_ = has_dropped_ || one->has_dropped();
  if (is_last) stage.drop_rows();
  deliveries_.drop(is_member_[number]);
  for (const auto& one : evaluators_) {
    std::vector<Cause>& lost = one->writer(number).lost();
    lost_.insert(lost_.end(), lost.begin(), lost.end());
    lost.clear();
  }
  for (std::size_t chunk = 0; chunk < chunks; ++chunk) {
    collect(stage, outputs_[chunk]);
    // Free the memory of a large batch.
    if (chunks > kFewChunks) outputs_[chunk] = {};
  }
  if (chunks > kFewChunks) std::vector<StageOutput>().swap(outputs_);
}

void Engine::forget(StageStore& stage, Index slot) {
  // A stage without a key, or a key with initial pairs, is evaluated even if no row mentions it. So it is not
  // forgotten.
  if (stage.stage().key > 0 && stage.initial(slot).empty()) stage.forget(slot);
}

// Records the results of an evaluation, and passes differences to later stages.
void Engine::collect(StageStore& stage, const StageOutput& output) {
  unmatched_ += output.unmatched;
  evaluated_ += output.keys.size();
  time_points_ += output.time_points;
  conflicts_ += output.conflicts;
  auto row = output.rows.begin();
  std::size_t causes_from = 0;
  for (Index number = 0; number < output.keys.size(); ++number) {
    const StageOutput::Key& key = output.keys[number];
    stage.set_wake(key.slot, key.wake);
    Cause cause = kNoCause;
    if (keeps_changes_ && (key.is_changed || key.causes_to > causes_from)) {
      Index& report = stage.state(key.slot).report;
      if (report == kNone) report = stage.reports.add(key.slot);
      for (std::size_t at = causes_from; at < key.causes_to; ++at) stage.reports.add_cause(report, output.causes[at]);
      cause = report_cause(stage.number(), report);
    }
    causes_from = key.causes_to;
    if (stage.state(key.slot).report == kNone) {
      if (key.is_idle) forget(stage, key.slot);
      if (stage.is_tied()) stage.part_group(key.slot, widths_);
    }
    for (; row != output.rows.end() && row->key == number; ++row) pass_on(output, *row, cause);
  }
}

void Engine::pass_on(const StageOutput& output, const StageOutput::Row& row, Cause cause) {
  const Value* cells = output.cells.data() + row.at;
  const ResultHead head = result_head(cells);
  const std::size_t columns = prepared_.plan.tables[head.table].columns;
  const std::span<const Value> rest(cells + 1, head.width - std::size_t{1});
  if (head.kind == ResultKind::kInterval) {
    IntervalArrivals& arrivals = deliveries_.intervals_of(head.table, columns);
    arrivals.is_input = false;
    const Time start = time_of(rest[0]);
    const std::uint8_t flags = row.is_removed ? kIsRetraction : 0;
    arrivals.add(flags, start, time_of(rest[1]), start, rest.subspan(2), cause);
  } else if (head.kind == ResultKind::kEvent) {
    const Time time = time_of(rest[0]);
    if (keeps_events_ && time >= first_event_) {
      event_changes_.push_back({head.table, row.is_removed, time, event_arguments_.size()});
      event_arguments_.insert(event_arguments_.end(), rest.begin() + kEventHead, rest.end());
    }
    Arrivals& arrivals = deliveries_.events_of(head.table, columns);
    arrivals.add(time, rest.subspan(kEventHead), cause, row.is_removed);
  } else {
    EffectArrivals& arrivals = deliveries_.effects_of(head.table, head.kind == ResultKind::kTermination, columns);
    arrivals.rows.cells.insert(arrivals.rows.cells.end(), rest.begin(), rest.end());
    arrivals.is_retraction.push_back(row.is_removed);
    arrivals.causes.push_back(cause);
  }
}

// Answers

AnswerColumns Engine::answers(Index table, unsigned threads) {
  if (flow_) return flow_answers(table);
  return answers_.take(table, prepared_.plan, stages_, window_.low(query_), threads);
}

RowSet Engine::result_rows(Index table, ResultKind kind) const {
  std::size_t width = prepared_.plan.tables.at(table).columns + kEventHead;
  if (kind == ResultKind::kInterval) width += 2;
  if (kind == ResultKind::kInitiation || kind == ResultKind::kTermination) ++width;
  RowSet found{width, {}};
  for (const StageStore& stage : stages_) {
    for (Index slot = 0; slot < stage.slots(); ++slot) {
      const Results& results = stage.state(slot).results;
      for (std::size_t at = 0; at < results.size();) {
        const ResultHead head = result_head(&results[at]);
        if (head.kind == kind && head.table == table) {
          found.cells.insert(found.cells.end(), &results[at] + 1, &results[at] + head.width);
        }
        at += head.width;
      }
    }
  }
  return found;
}

std::unique_ptr<Trace> Engine::trace(Index stage, std::span<const Value> key) {
  auto evaluator = std::make_unique<KeyEvaluator>(prepared_, terms_, host_, widths_, conditions_);
  evaluator->begin(stages_.at(stage), window_, query_, {is_stopped_, nullptr}, {});
  return std::make_unique<Trace>(std::move(evaluator), stages_[stage], key);
}

void Engine::mark_terms(TermMarks& marks) const {
  for (const Edit& edit : edits_.all()) {
    for (const std::uint64_t word : edit.events.words()) marks.mark(word);
    marks.mark(edit.intervals.cells);
  }
  admission_.mark_terms(marks);
  inputs_.mark_terms(marks);
  for (const StageStore& stage : stages_) stage.mark_terms(marks);
  if (flow_) flow_->mark_terms(marks);
}

std::size_t Engine::unmatched() const {
  std::size_t found = unmatched_ + admission_.unmatched();
  for (const StageStore& stage : stages_) found += stage.unmatched();
  return found;
}

std::size_t Engine::keys() const {
  std::size_t found = 0;
  for (const StageStore& stage : stages_) found += stage.keys().count();
  return found;
}

std::size_t Engine::rows() const {
  std::size_t found = admission_.waiting() + (flow_ ? flow_->waiting() : 0);
  for (const StageStore& stage : stages_) found += stage.rows(widths_);
  return found;
}

}  // namespace holdsfor
