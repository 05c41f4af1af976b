#include "metric_flow.h"

#include <algorithm>
#include <numeric>

namespace holdsfor {
namespace {

void add(Derived& facts, std::span<const Value> tuple, Interval during) {
  facts.cells.insert(facts.cells.end(), tuple.begin(), tuple.end());
  facts.during.push_back(during);
}

Interval refined(Interval one, Time factor) { return {finer(one.start, factor), finer(one.end, factor)}; }

// Calls `see` with each table of the carried state.
template <typename State, typename See>
void each_carried(State& state, const See& see) {
  for (auto& carried : state) {
    for (auto* tables : {&carried.ahead, &carried.going_on, &carried.armed, &carried.recent}) {
      for (auto& table : *tables) see(table);
    }
  }
}

void write_interval(StateWriter& into, Interval one) {
  into.put_time(one.start);
  into.put_time(one.end);
}

Interval read_interval(StateReader& from) {
  const Time start = from.get_time();
  const Interval found{start, from.get_time()};
  if (is_empty(found) || found.start < -kEndless || found.end > kEndless) {
    StateReader::refuse("the saved state is damaged: an interval is none");
  }
  return found;
}

void write_table(StateWriter& into, const MetricTable& table) {
  into.put(table.rows());
  for (Index row = 0; row < table.rows(); ++row) {
    into.put_values(table.args(row));
    into.put(table.list(row).size());
    for (const Interval& one : table.list(row)) write_interval(into, one);
  }
}

void read_table(StateReader& from, MetricTable& table) {
  std::vector<Value> args;
  for (std::size_t rows = from.get_count(table.width() + 1); rows > 0; --rows) {
    args.clear();
    from.get_values(table.width(), args);
    const std::size_t count = from.get_count(2);
    if (count == 0) StateReader::refuse("the saved state is damaged: a fact never holds");
    for (std::size_t i = 0; i < count; ++i) table.add(args, read_interval(from));
  }
}

}  // namespace

// Waiting facts

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
  sort();
  still_.clear();
  for (std::size_t i = 0; i < active_.during.size(); ++i) hand_out(tuple(active_, i), active_.during[i], slice, into);
  for (; next_ < coming_.during.size() && coming_.during[next_].start < slice.end; ++next_) {
    hand_out(tuple(coming_, next_), coming_.during[next_], slice, into);
  }
  std::swap(active_, still_);
}

void WaitingFacts::refine(Time factor) {
  for (Derived* facts : {&active_, &coming_}) {
    for (Interval& one : facts->during) one = refined(one, factor);
  }
}

void WaitingFacts::mark_terms(TermMarks& marks) const {
  for (const Derived* facts : {&active_, &coming_}) marks.mark(facts->cells);
}

void WaitingFacts::write(StateWriter& into) const {
  into.put(facts());
  const auto put = [&](const Derived& facts, std::size_t from) {
    for (std::size_t i = from; i < facts.during.size(); ++i) {
      into.put_values(tuple(facts, i));
      write_interval(into, facts.during[i]);
    }
  };
  put(active_, 0);
  put(coming_, next_);
}

void WaitingFacts::read(StateReader& from) {
  std::vector<Value> args;
  for (std::size_t count = from.get_count(width_ + 2); count > 0; --count) {
    args.clear();
    from.get_values(width_, args);
    push(args, read_interval(from));
  }
}

// Slices

MetricFlow::MetricFlow(const MetricComponent& component, std::size_t tables, TermTable& terms, Host& host)
    : component_(&component), run_(std::make_unique<MetricRun>(component, terms, host)), input_of_(tables, kNone) {
  for (const MetricLink& link : component.inputs) {
    input_of_[link.table] = static_cast<Index>(waiting_.size());
    waiting_.emplace_back(component.plan.widths[link.relation]);
  }
}

bool MetricFlow::push(Index table, std::span<const Value> tuple, Interval during) {
  const Interval left = common(during, {reached_, kEndless});
  if (!is_empty(left)) waiting_[input_of_[table]].push(tuple, left);
  return during.start < reached_;
}

void MetricFlow::advance(Time last, bool is_profiled, const MetricWatch& watch) {
  const Interval slice{reached_, last + 1};
  run_->clear_tables();
  if (is_empty(slice)) return;
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    waiting_[i].take(slice, run_->table(component_->inputs[i].relation));
  }
  run_->evaluate_slice(slice, is_profiled, watch);
  reached_ = slice.end;
}

bool MetricFlow::reads(Index table) const { return table < input_of_.size() && input_of_[table] != kNone; }

const MetricTable* MetricFlow::found(Index table) const {
  for (const MetricLink& link : component_->outputs) {
    if (link.table == table) return &run_->table(link.relation);
  }
  return nullptr;
}

std::size_t MetricFlow::waiting() const {
  return std::accumulate(waiting_.begin(), waiting_.end(), std::size_t{0},
                         [](std::size_t sum, const WaitingFacts& one) { return sum + one.facts(); });
}

std::size_t MetricFlow::carried() const {
  const MetricRun::State& state = run_->state();
  return std::accumulate(state.begin(), state.end(), std::size_t{0},
                         [](std::size_t sum, const MetricCarried& one) { return sum + one.facts(); });
}

// Changes of rules

void MetricFlow::refine(Time factor) {
  const Time reached = finer(reached_, factor);
  MetricRun::State state = run_->state();
  each_carried(state, [&](MetricTable& table) {
    for (Index row = 0; row < table.rows(); ++row) {
      for (Interval& one : table.list(row)) one = refined(one, factor);
    }
  });
  std::vector<WaitingFacts> waiting = waiting_;
  for (WaitingFacts& one : waiting) one.refine(factor);
  reached_ = reached;
  run_->state() = std::move(state);
  waiting_ = std::move(waiting);
}

void MetricFlow::replace_rules(const MetricComponent& component, TermTable& terms, Host& host) {
  component_ = &component;
  auto next = std::make_unique<MetricRun>(component, terms, host);
  next->state() = std::move(run_->state());
  run_ = std::move(next);
}

void MetricFlow::mark_terms(TermMarks& marks) const {
  for (const WaitingFacts& one : waiting_) one.mark_terms(marks);
  const auto mark = [&](const MetricTable& table) {
    for (Index row = 0; row < table.rows(); ++row) marks.mark(table.args(row));
  };
  each_carried(run_->state(), mark);
  for (const MetricLink& link : component_->outputs) mark(run_->table(link.relation));
}

void MetricFlow::write(StateWriter& into) const {
  into.put_time(reached_);
  for (const WaitingFacts& one : waiting_) one.write(into);
  each_carried(run_->state(), [&](const MetricTable& table) { write_table(into, table); });
}

void MetricFlow::read(StateReader& from) {
  reached_ = from.get_time();
  for (WaitingFacts& one : waiting_) one.read(from);
  each_carried(run_->state(), [&](MetricTable& table) { read_table(from, table); });
}

}  // namespace holdsfor
