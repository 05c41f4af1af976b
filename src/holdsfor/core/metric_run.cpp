#include "metric_run.h"

#include <algorithm>

namespace holdsfor {
namespace {

// What goes both ways in time may never end; after so many rounds it is taken to.
constexpr std::size_t kMostRounds = 10'000;

}  // namespace

MetricRun::MetricRun(const MetricComponent& component, TermTable& terms, Host& host)
    : component_(component), engine_(component.plan, terms, host), farthest_(kMostCells / 4 / component.scale) {}

MetricRun::Outcome MetricRun::evaluate(World& world) {
  for (const MetricLink& link : component_.outputs) world.fluents[link.table].clear();
  for (Index relation = 0; relation < component_.plan.widths.size(); ++relation) engine_.table(relation).clear();
  last_change_ = kNever;
  is_any_ = !component_.facts.empty();
  for (const MetricLink& link : component_.inputs) {
    if (!take(world, link)) return Outcome::kTooFar;
  }
  if (!is_any_) return Outcome::kDone;
  if (is_far(moved(world.query, 1)) || is_far(world.origin)) return Outcome::kTooFar;
  for (const MetricGiven& fact : component_.facts) {
    engine_.table(fact.relation).add(fact.row, fact.during);
    for (const Time cell : {fact.during.start, fact.during.end}) {
      if (!is_infinite(cell)) note(next_point(cell));
    }
  }
  const MetricWatch watch = [&] { world.watch.check(); };
  for (Index stratum = 0; stratum < component_.spans.size(); ++stratum) {
    const MetricSpan& span = component_.spans[stratum];
    const std::size_t most = span.is_endless ? kMostRounds : MetricStratumRun::kNoLimit;
    if (!engine_.evaluate(stratum, within(span, world), most, watch)) return Outcome::kNoEnd;
    const auto [before, after] = engine_.lies_beyond(stratum);
    if ((before && span.asks_before) || (after && span.asks_after)) return Outcome::kTooFar;
  }
  for (const MetricLink& link : component_.outputs) give(world, link);
  // Until all that happened has had its consequences, what holds next may be otherwise at another query time.
  if (component_.reach == kForever || moved(last_change_, moved(component_.reach, 1)) > world.query) {
    world.depends_on_query = true;
  }
  return Outcome::kDone;
}

bool MetricRun::take(const World& world, const MetricLink& link) {
  MetricTable& into = engine_.table(link.relation);
  return world.plan().tables[link.table].is_event() ? take_events(world.event_table(link.table), into)
                                                    : take_fluent(world.fluent_table(link.table), into);
}

bool MetricRun::take_events(const EventTable& events, MetricTable& into) {
  for (std::size_t row = 0; row < events.size(); ++row) {
    const Time time = events.time(row);
    if (is_far(time)) return false;
    const Time cell = 2 * component_.scale * time;
    into.add(events.row(row), {cell, cell + 1});
    note(time);
    is_any_ = true;
  }
  return true;
}

bool MetricRun::take_fluent(const FluentTable& fluent, MetricTable& into) {
  const auto cell = [&](Time time) { return 2 * component_.scale * (time - 1) + 1; };
  for (Index number = 0; number < fluent.pair_count; ++number) {
    const Pair& pair = fluent.pairs[number];
    if (!pair.is_declared || pair.value != component_.holds) continue;
    for (const Interval& one : pair.list) {
      const bool has_start = one.start != kNever;
      const bool has_end = one.end != kForever;
      if ((has_start && is_far(one.start)) || (has_end && is_far(one.end))) return false;
      into.add(fluent.columns(pair.instance),
               {has_start ? cell(one.start) : -kEndless, has_end ? cell(one.end) : kEndless});
      if (has_start) note(one.start);
      if (has_end) note(one.end);
      is_any_ = true;
    }
  }
  return true;
}

Interval MetricRun::within(const MetricSpan& span, const World& world) const {
  Interval found = kAllTime;
  const auto cell = [&](Time point, Time ticks) {
    return 2 * (component_.scale * point + std::clamp<Time>(ticks, -kMostCells / 8, kMostCells / 8));
  };
  if (span.before) found.start = cell(world.origin, -*span.before);
  if (span.after) found.end = cell(moved(world.query, 1), *span.after) + 1;
  return found;
}

Time MetricRun::next_point(Time cell) const {
  const Time unit = 2 * component_.scale;
  const Time whole = cell / unit;
  return whole * unit < cell ? whole + 1 : whole;
}

void MetricRun::give(World& world, const MetricLink& link) const {
  FluentTable& fluent = world.fluents[link.table];
  const MetricTable& found = engine_.table(link.relation);
  const Time last = moved(world.query, 1);
  for (Index row = 0; row < found.rows(); ++row) {
    if (!world.is_of_key(link.table, found.args(row))) continue;
    Intervals* list = nullptr;
    for (const Interval& one : found.list(row)) {
      const Time start = is_infinite(one.start) ? world.origin : std::max(next_point(one.start), world.origin);
      const Time end = is_infinite(one.end) ? kForever : next_point(one.end);
      if (start >= end || start > last) continue;
      if (list == nullptr)
        list = &fluent.pairs[fluent.add_pair(fluent.add(found.args(row)), component_.holds).first].list;
      list->push_back({start, end > last ? kForever : end});
    }
    if (list != nullptr) make_maximal(*list);
  }
}

}  // namespace holdsfor
