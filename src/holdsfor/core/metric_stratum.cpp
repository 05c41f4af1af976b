#include "metric_stratum.h"

#include <algorithm>

namespace holdsfor {
namespace {

std::size_t facts_in(const std::vector<MetricTable>& tables) {
  std::size_t found = 0;
  for (const MetricTable& table : tables) found += table.intervals();
  return found;
}

std::vector<MetricTable> tables_of(const std::vector<Index>& relations, const std::vector<Index>& widths) {
  std::vector<MetricTable> found;
  for (const Index relation : relations) found.emplace_back(widths[relation]);
  return found;
}

// Longer than all distances between distinguishable times.
constexpr Time kLongest = kEndless / 2;

// The length of an interval of distances.
Time length_of(const Offsets& offsets) {
  if (!offsets.low || !offsets.high) return kLongest;
  const bool is_long = *offsets.low < -kLongest / 2 || *offsets.high > kLongest / 2;
  return is_long ? kLongest : *offsets.high - *offsets.low;
}

Offsets by(Time ticks) { return {.low = ticks, .high = ticks}; }

// The cell `ticks` before another one, or the beginning of all time.
Time cells_before(Time cell, Time ticks) {
  return ticks >= kLongest ? -kEndless : std::max(cell - 2 * ticks, -kEndless);
}

}  // namespace

std::size_t MetricCarried::facts() const {
  return facts_in(ahead) + facts_in(going_on) + facts_in(armed) + facts_in(recent);
}

void MetricCarried::clear() {
  for (auto* tables : {&ahead, &going_on, &armed, &recent}) {
    for (MetricTable& table : *tables) {
      if (!table.is_empty()) table.clear();
    }
  }
}

MetricStratumRun::MetricStratumRun(MetricStratum stratum, const std::vector<Index>& widths,
                                   std::vector<MetricTable>& tables, TermTable& terms, Host& host)
    : stratum_(std::move(stratum)), tables_(tables), widths_(widths) {
  place_.assign(widths.size(), kElsewhere);
  memory_.assign(widths.size(), kElsewhere);
  for (Index i = 0; i < stratum_.relations.size(); ++i) place_[stratum_.relations[i]] = i;
  Index number = 0;
  for (MetricRule& rule : stratum_.rules) {
    RuleRun& run = rules_.emplace_back();
    run.rule = &rule;
    each_source(rule, [&](Index relation) { run.is_recursive = run.is_recursive || is_own(relation); });
    if (const auto* moves = std::get_if<MetricMove>(&rule)) {
      if (moves->is_box) remember(moves->source, length_of(moves->offsets));
    } else if (const auto* lasts = std::get_if<MetricLast>(&rule)) {
      prepare(*lasts, run, number);
    } else {
      run.body = std::make_unique<MetricBody>(std::get<MetricJoin>(rule), terms, host);
    }
    ++number;
  }
  grown_ = tables_of(remembered_, widths_);
  has_grown_.resize(remembered_.size());
  ahead_ = tables_of(stratum_.relations, widths_);
  fresh_.resize(stratum_.relations.size());
  next_ = nothing();
}

void MetricStratumRun::prepare(const MetricLast& rule, RuleRun& run, Index number) {
  run.since = std::make_unique<MetricSince>(rule);
  for (const Index relation : {rule.left.relation, rule.right.relation}) {
    if (rule.waits == 0) {
      remember(relation, 0);
      continue;
    }
    const auto at = std::find(recalled_.begin(), recalled_.end(), relation);
    if (at == recalled_.end()) {
      recalled_.push_back(relation);
      recalled_for_.push_back(rule.waits);
    } else {
      Time& longest = recalled_for_[static_cast<std::size_t>(at - recalled_.begin())];
      longest = std::max(longest, rule.waits);
    }
  }
  if (rule.waits != 0) return;
  run.armed = static_cast<Index>(since_rules_.size());
  since_rules_.push_back(number);
}

void MetricStratumRun::remember(Index relation, Time width) {
  if (memory_[relation] == kElsewhere) {
    memory_[relation] = static_cast<Index>(remembered_.size());
    remembered_.push_back(relation);
    remembered_for_.push_back(0);
  }
  Time& longest = remembered_for_[memory_[relation]];
  longest = std::max(longest, width);
}

MetricCarried MetricStratumRun::nothing() const {
  MetricCarried found;
  found.ahead = tables_of(stratum_.relations, widths_);
  found.going_on = tables_of(remembered_, widths_);
  for (const Index rule : since_rules_) found.armed.emplace_back(widths_[head_of(stratum_.rules[rule])]);
  found.recent = tables_of(recalled_, widths_);
  return found;
}

bool MetricStratumRun::run(Interval slice, MetricCarried& carried, std::size_t most_rounds, const MetricWatch& watch) {
  slice_ = slice;
  carried_ = &carried;
  const bool has_ended = evaluate(most_rounds, watch);
  if (has_ended) carry_on();
  carried_ = nullptr;
  return has_ended;
}

bool MetricStratumRun::run_once(Interval slice, std::size_t most_rounds, const MetricWatch& watch) {
  slice_ = slice;
  carried_ = nullptr;
  was_cut_ = false;
  for (const Index relation : stratum_.relations) {
    // Given facts of a relation of the stratum may lie outside the slice.
    MetricTable& table = tables_[relation];
    if (slice == kAllTime || table.is_empty()) continue;
    MetricTable inside(table.width());
    for (Index row = 0; row < table.rows(); ++row) {
      for (const Interval& one : table.list(row)) {
        const Interval part = common(one, slice);
        was_cut_ = was_cut_ || part != one;
        if (!is_empty(part)) inside.add(table.args(row), part);
      }
    }
    table = std::move(inside);
  }
  return evaluate(most_rounds, watch);
}

bool MetricStratumRun::evaluate(std::size_t most_rounds, const MetricWatch& watch) {
  begin();
  for (const RuleRun& run : rules_) {
    if (!run.is_recursive) derive(run);
    watch();
  }
  if (!stratum_.is_recursive) return true;
  start_armed();
  return recurse(most_rounds, watch);
}

void MetricStratumRun::begin() {
  is_recursing_ = false;
  for (MetricTable& table : ahead_) table.clear();
  for (const RuleRun& run : rules_) {
    if (run.body) run.body->begin();
    run.head_rows.clear();
  }
  for (std::size_t i = 0; i < remembered_.size(); ++i) {
    has_grown_[i] = carried_ != nullptr && !carried_->going_on[i].is_empty();
    if (!has_grown_[i]) continue;
    grown_[i].clear();
    for (const MetricTable* table : {&carried_->going_on[i], &tables_[remembered_[i]]}) {
      for (Index row = 0; row < table->rows(); ++row) {
        for (const Interval& one : table->list(row)) grown_[i].add(table->args(row), one);
      }
    }
  }
  if (carried_ == nullptr) return;
  for (std::size_t i = 0; i < stratum_.relations.size(); ++i) {
    const MetricTable& table = carried_->ahead[i];
    for (Index row = 0; row < table.rows(); ++row) {
      for (const Interval& one : table.list(row)) insert(stratum_.relations[i], table.args(row), one);
    }
  }
}

// Inserts a fact: the part in the slice holds now, the part after it waits.
void MetricStratumRun::insert(Index relation, std::span<const Value> tuple, Interval during) {
  const Interval inside = common(during, slice_);
  was_cut_ = was_cut_ || (inside != during && !is_empty(during));
  if (!is_empty(inside)) insert_row(relation, tables_[relation].row_of(tuple), inside);
  note_later(relation, tuple, during);
}

void MetricStratumRun::note_later(Index relation, std::span<const Value> tuple, Interval during) {
  if (carried_ == nullptr) return;
  const Interval later = common(during, {slice_.end, kEndless});
  if (!is_empty(later)) ahead_[place_[relation]].add(tuple, later);
}

// Inserts the part of a fact in the slice, for a known row.
void MetricStratumRun::insert_row(Index relation, Index row, Interval inside) {
  MetricTable& table = tables_[relation];
  pieces_.clear();
  add_interval(table.list(row), inside, pieces_);
  const Index memory = memory_[relation];
  for (const Interval& piece : pieces_) {
    if (is_recursing_) note_fresh(place_[relation], {row, piece});
    if (memory != kElsewhere && has_grown_[memory]) grown_[memory].add(table.args(row), piece);
  }
}

void MetricStratumRun::insert_all(Index relation) {
  const std::size_t width = widths_[relation];
  for (std::size_t i = 0; i < derived_.during.size(); ++i) {
    insert(relation, std::span(derived_.cells).subspan(i * width, width), derived_.during[i]);
  }
  derived_.clear();
}

const MetricTable& MetricStratumRun::grown(Index relation) const {
  const Index memory = memory_[relation];
  return memory != kElsewhere && has_grown_[memory] ? grown_[memory] : tables_[relation];
}

// A relation in the slice, and before it for as long as an Until waits.
MetricTable MetricStratumRun::recently(Index relation) const {
  MetricTable found = tables_[relation];
  const auto at = std::find(recalled_.begin(), recalled_.end(), relation);
  if (carried_ == nullptr || at == recalled_.end()) return found;
  const MetricTable& before = carried_->recent[static_cast<std::size_t>(at - recalled_.begin())];
  for (Index row = 0; row < before.rows(); ++row) {
    for (const Interval& one : before.list(row)) found.add(before.args(row), one);
  }
  return found;
}

void MetricStratumRun::derive(const RuleRun& run) {
  if (const auto* moves = std::get_if<MetricMove>(run.rule)) return move(*moves);
  if (run.since) return last(run);
  run.body->solve([&](Index relation) -> const MetricTable& { return tables_[relation]; }, derived_);
  insert_all(head_of(*run.rule));
}

void MetricStratumRun::move(const MetricMove& rule) {
  const MetricTable& source = rule.is_box ? grown(rule.source) : tables_[rule.source];
  for (Index row = 0; row < source.rows(); ++row) {
    for (const Interval& one : source.list(row)) {
      const Interval moved = rule.is_box ? eroded(one, rule.offsets) : reached(one, rule.offsets);
      if (!is_empty(moved)) insert(rule.head, source.args(row), moved);
    }
  }
}

void MetricStratumRun::last(const RuleRun& run) {
  const auto& rule = std::get<MetricLast>(*run.rule);
  if (rule.waits != 0) return wait(rule, *run.since);
  const MetricTable& left = grown(rule.left.relation);
  run.since->solve(left, grown(rule.right.relation), derived_);
  if (carried_ != nullptr) run.since->solve_armed(carried_->armed[run.armed], left, slice_.start, derived_);
  insert_all(rule.head);
}

// Evaluates an Until for the time when all of its inputs had become known, and moves the result to now.
void MetricStratumRun::wait(const MetricLast& rule, MetricSince& since) {
  since.solve(recently(rule.left.relation), recently(rule.right.relation), derived_);
  const Interval known{-kEndless, slice_.end >= kEndless ? kEndless : cells_before(slice_.end, rule.waits)};
  for (Interval& one : derived_.during) {
    const Interval part = common(one, known);
    one = is_empty(part) ? Interval{} : common(reached(part, by(rule.waits)), slice_);
  }
  insert_all(rule.head);
}

// Derives consequences of the past for recursive rules, because intervals that continue without a new fact do not
// trigger these rules.
void MetricStratumRun::start_armed() {
  if (carried_ == nullptr) return;
  for (const RuleRun& run : rules_) {
    if (!run.is_recursive || run.armed == kElsewhere) continue;
    const auto& rule = std::get<MetricLast>(*run.rule);
    const MetricTable& left = grown(rule.left.relation);
    run.since->solve_armed(carried_->armed[run.armed], left, slice_.start, derived_);
    // The left side may begin right after the last point at which the right side held.
    run.since->solve(left, carried_->going_on[memory_[rule.right.relation]], derived_);
    insert_all(rule.head);
  }
}

void MetricStratumRun::carry_on() {
  MetricCarried& carried = *carried_;
  const Time high = slice_.end;
  MetricCarried& found = next_;
  found.clear();
  if (high < kEndless) {
    for (std::size_t i = 0; i < ahead_.size(); ++i) std::swap(found.ahead[i], ahead_[i]);
    for (std::size_t i = 0; i < remembered_.size(); ++i) {
      const MetricTable& table = grown(remembered_[i]);
      // The slice ends with a point. Intervals that hold there may continue.
      const Interval kept{cells_before(high - 1, remembered_for_[i]), high};
      for (Index row = 0; row < table.rows(); ++row) {
        const Interval last_one = table.list(row).back();
        if (last_one.end >= high) found.going_on[i].add(table.args(row), common(last_one, kept));
      }
    }
    for (const RuleRun& run : rules_) {
      if (run.armed == kElsewhere) continue;
      const auto& rule = std::get<MetricLast>(*run.rule);
      run.since->arm(carried.armed[run.armed], grown(rule.left.relation), grown(rule.right.relation), slice_,
                     found.armed[run.armed]);
    }
    for (std::size_t i = 0; i < recalled_.size(); ++i) {
      // One gap more, to tell whether the left side of an Until continues from before.
      const Interval kept{cells_before(high - 2, recalled_for_[i]), high};
      const MetricTable table = recently(recalled_[i]);
      for (Index row = 0; row < table.rows(); ++row) {
        for (const Interval& one : table.list(row)) {
          if (const Interval part = common(one, kept); !is_empty(part)) found.recent[i].add(table.args(row), part);
        }
      }
    }
  }
  std::swap(carried, found);
}

std::pair<bool, bool> MetricStratumRun::lies_beyond() const {
  std::pair<bool, bool> found{false, false};
  const auto look = [&](const MetricTable& table) {
    for (Index row = 0; row < table.rows(); ++row) {
      for (const Interval& one : table.list(row)) {
        for (const Time time : {one.start, one.end}) {
          if (is_infinite(time)) continue;
          found.first = found.first || time < -kMostCells;
          found.second = found.second || time > kMostCells;
        }
      }
    }
  };
  for (const Index relation : stratum_.relations) look(tables_[relation]);
  return found;
}

}  // namespace holdsfor
