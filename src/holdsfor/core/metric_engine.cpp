#include "metric_engine.h"

#include <algorithm>
#include <chrono>
#include <numeric>

namespace holdsfor {
namespace {

// After so many slices without a new fact from outside, and without a period, we give up.
constexpr std::size_t kMostSlices = 200'000;

void add(Derived& facts, std::span<const Value> tuple, Interval during) {
  facts.cells.insert(facts.cells.end(), tuple.begin(), tuple.end());
  facts.during.push_back(during);
}

void refine_all(std::vector<MetricTable>& tables, Time factor) {
  for (MetricTable& table : tables) {
    for (Index row = 0; row < table.rows(); ++row) {
      for (Interval& one : table.list(row)) one = {finer(one.start, factor), finer(one.end, factor)};
    }
  }
}

// Slices end with a point. One that begins before all time ends before anything changes, or with what never does.
Time slice_end(Time low, Time stride, Time last_change) {
  if (low <= -kEndless) return last_change > -kEndless ? (std::min<Time>(last_change, 0) | 1) : 1;
  return stride >= (kEndless - low) / 2 ? kEndless : ((low >> 1) + stride) * 2 + 1;
}

}  // namespace

void WaitingFacts::push(std::span<const Value> tuple, Interval during) {
  if (next_ == coming_.during.size()) {
    coming_.clear();
    next_ = 0;
    is_sorted_ = true;
  }
  is_sorted_ = is_sorted_ && (coming_.during.empty() || coming_.during.back().start <= during.start);
  add(coming_, tuple, during);
}

void WaitingFacts::sort() {
  if (is_sorted_) return;
  std::vector<std::size_t> order(coming_.during.size() - next_);
  std::iota(order.begin(), order.end(), next_);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) {
    return coming_.during[one].start < coming_.during[other].start;
  });
  Derived sorted;
  sorted.cells.reserve(order.size() * width_);
  for (const std::size_t i : order) add(sorted, tuple(coming_, i), coming_.during[i]);
  coming_ = std::move(sorted);
  next_ = 0;
  is_sorted_ = true;
}

void WaitingFacts::hand_out(std::span<const Value> tuple, Interval during, Interval slice, MetricTable& into) {
  if (const Interval inside = common(during, slice); !is_empty(inside)) into.add(tuple, inside);
  if (during.end > slice.end) add(still_, tuple, {slice.end, during.end});
}

void WaitingFacts::take(Interval slice, MetricTable& into) {
  if (slice.end < kEndless) sort();
  still_.clear();
  for (std::size_t i = 0; i < active_.during.size(); ++i) hand_out(tuple(active_, i), active_.during[i], slice, into);
  for (; next_ < coming_.during.size() && coming_.during[next_].start < slice.end; ++next_) {
    hand_out(tuple(coming_, next_), coming_.during[next_], slice, into);
  }
  std::swap(active_, still_);
}

Time WaitingFacts::next_start() {
  sort();
  return next_ < coming_.during.size() ? coming_.during[next_].start : kEndless;
}

Time WaitingFacts::last_change() const {
  Time found = -kEndless;
  each([&](std::span<const Value>, Interval during) {
    for (const Time time : {during.start, during.end}) {
      if (!is_infinite(time)) found = std::max(found, time);
    }
  });
  return found;
}

void WaitingFacts::refine(Time factor) {
  for (Derived* facts : {&active_, &coming_}) {
    for (Interval& one : facts->during) one = {finer(one.start, factor), finer(one.end, factor)};
  }
}

std::size_t MetricState::facts() const {
  std::size_t found = 0;
  for (const MetricCarried& one : carried) found += one.facts();
  for (const WaitingFacts& one : waiting) found += one.facts();
  return found;
}

MetricEngine::MetricEngine(MetricPlan plan, TermTable& terms, Host& host)
    : plan_(std::move(plan)), terms_(terms), host_(host) {
  for (const Index width : plan_.widths) {
    tables_.emplace_back(width);
    state_.waiting.emplace_back(width);
  }
  make_runs();
  for (const MetricStratumRun& run : runs_) state_.carried.push_back(run.nothing());
}

void MetricEngine::make_runs() {
  runs_.clear();
  runs_.reserve(plan_.strata.size());
  for (const MetricStratum& stratum : plan_.strata) {
    runs_.emplace_back(stratum, plan_.widths, state_.factor, tables_, terms_, host_);
  }
}

void MetricEngine::set_state(MetricState state) {
  const bool is_other = state.factor != state_.factor;
  state_ = std::move(state);
  if (is_other) make_runs();
}

void MetricEngine::refine(Time factor) {
  if (factor == 1) return;
  MetricState made = state_;
  made.factor *= factor;
  made.reached = finer(made.reached, factor);
  for (MetricCarried& one : made.carried) {
    for (auto* tables : {&one.ahead, &one.going_on, &one.armed, &one.recent}) refine_all(*tables, factor);
  }
  for (WaitingFacts& one : made.waiting) one.refine(factor);
  set_state(std::move(made));
}

bool MetricEngine::push(Index relation, std::span<const Value> tuple, Interval during) {
  const Interval left = common(during, {state_.reached, kEndless});
  if (!is_empty(left)) state_.waiting[relation].push(tuple, left);
  return during.start < state_.reached;
}

void MetricEngine::advance(Time high, const MetricWatch& watch) {
  const Interval slice{state_.reached, high};
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    tables_[i].clear();
    state_.waiting[i].take(slice, tables_[i]);
  }
  for (Index i = 0; i < runs_.size(); ++i) {
    const auto begin = std::chrono::steady_clock::now();
    runs_[i].run(slice, state_.carried[i], MetricStratumRun::kNoLimit, watch);
    if (!profile_.empty()) {
      measure(i, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
  }
  state_.reached = high;
}

void MetricEngine::measure(Index stratum, double seconds) {
  MetricProfile& found = profile_[stratum];
  found.seconds += seconds;
  const auto& own = plan_.strata[stratum].relations;
  std::vector<Index> read;
  for (const MetricRule& rule : plan_.strata[stratum].rules) {
    each_source(rule, [&](Index relation) {
      for (const auto* known : {&own, static_cast<const std::vector<Index>*>(&read)}) {
        if (std::find(known->begin(), known->end(), relation) != known->end()) return;
      }
      read.push_back(relation);
    });
  }
  for (const Index relation : read) found.facts_in += tables_[relation].intervals();
  for (const Index relation : own) found.facts_out += tables_[relation].intervals();
  found.most_kept = std::max(found.most_kept, state_.carried[stratum].facts());
}

void MetricEngine::begin_all() {
  for (std::size_t i = 0; i < tables_.size(); ++i) {
    tables_[i].clear();
    state_.waiting[i].take(kAllTime, tables_[i]);
  }
  state_.reached = kEndless;
}

bool MetricEngine::evaluate(Index stratum, Interval within, std::size_t most_rounds, const MetricWatch& watch) {
  const auto begin = std::chrono::steady_clock::now();
  const bool has_ended = runs_[stratum].run_once(within, most_rounds, watch);
  if (!profile_.empty()) {
    measure(stratum, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return has_ended;
}

// Where something may happen next.
Time MetricEngine::next_start() {
  Time found = kEndless;
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    const MetricCarried& carried = state_.carried[i];
    const auto is_filled = [](const MetricTable& table) { return !table.is_empty(); };
    if (runs_[i].has_since() && (std::any_of(carried.armed.begin(), carried.armed.end(), is_filled) ||
                                 std::any_of(carried.going_on.begin(), carried.going_on.end(), is_filled))) {
      // Whether the left side of a Since goes on is not ours to know: another stratum may have derived it.
      return state_.reached;
    }
    for (const MetricTable& table : carried.ahead) {
      for (Index row = 0; row < table.rows(); ++row) found = std::min(found, table.list(row).front().start);
    }
    for (const Index relation : plan_.strata[i].relations) {
      found = std::min(found, state_.waiting[relation].next_start());
    }
  }
  return std::max(found, state_.reached);
}

std::optional<MetricEngine::Return> MetricEngine::advance_by(Time stride, Time limit, const MetricWatch& watch) {
  Time last_change = -kEndless;
  for (const WaitingFacts& one : state_.waiting) last_change = std::max(last_change, one.last_change());
  std::vector<MetricTable> found;
  for (const Index width : plan_.widths) found.emplace_back(width);
  std::map<std::vector<std::uint64_t>, Time> seen;
  std::optional<Return> again;
  for (Time low = next_start(); low < limit && !again; low = next_start()) {
    // A left side that begins after a point may have a right side at it.
    if (!is_infinite(low)) low = std::max(low & ~Time{1}, state_.reached);
    state_.reached = low;
    advance(std::min(slice_end(low, stride, last_change), limit), watch);
    for (const MetricStratumRun& run : runs_) {
      for (const Index relation : run.stratum().relations) {
        const MetricTable& table = tables_[relation];
        for (Index row = 0; row < table.rows(); ++row) {
          for (const Interval& one : table.list(row)) found[relation].add(table.args(row), one);
        }
      }
    }
    if (limit < kEndless || state_.reached <= last_change) continue;
    auto known = signature();
    if (known.empty()) continue;
    const auto [at, is_new] = seen.try_emplace(std::move(known), state_.reached);
    if (!is_new) {
      again = Return{at->second, state_.reached};
    } else if (seen.size() > kMostSlices) {
      const auto first = std::min_element(seen.begin(), seen.end(),
                                          [](const auto& one, const auto& other) { return one.second < other.second; });
      again = Return{first->second, std::nullopt};
    }
  }
  tables_ = std::move(found);
  return again;
}

// What is carried on, as far from the present as it lies: states that are equal go on in the same way.
std::vector<std::uint64_t> MetricEngine::signature() const {
  std::vector<std::uint64_t> found;
  const auto ago = [&](Time time) {
    return static_cast<std::uint64_t>(is_infinite(time) ? time : time - state_.reached);
  };
  std::uint64_t number = 0;
  for (const MetricCarried& carried : state_.carried) {
    for (const auto* tables : {&carried.ahead, &carried.going_on, &carried.armed}) {
      for (const MetricTable& table : *tables) {
        ++number;
        std::vector<std::vector<std::uint64_t>> rows;
        for (Index row = 0; row < table.rows(); ++row) {
          std::vector<std::uint64_t> words{number};
          for (const Value value : table.args(row)) words.push_back(value.word());
          for (const Interval& one : table.list(row)) {
            words.push_back(ago(one.start));
            words.push_back(ago(one.end));
          }
          words.push_back(words.size());
          rows.push_back(std::move(words));
        }
        std::sort(rows.begin(), rows.end());
        for (const auto& words : rows) found.insert(found.end(), words.begin(), words.end());
      }
    }
  }
  return found;
}

}  // namespace holdsfor
