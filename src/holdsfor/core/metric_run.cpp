#include "metric_run.h"

#include <algorithm>

namespace holdsfor {

MetricRun::MetricRun(const MetricComponent& component, TermTable& terms, Host& host)
    : component_(component),
      tables_([&] {
        std::vector<MetricTable> found;
        for (const Index width : component.plan.widths) found.emplace_back(width);
        return found;
      }()),
      endless_(tables_),
      farthest_(kMostCells / 4 / component.scale) {
  profile_.resize(component.plan.strata.size());
  for (const MetricStratum& stratum : component.plan.strata) {
    runs_.push_back(std::make_unique<MetricStratumRun>(stratum, component.plan.widths, tables_, terms, host));
    if (component.is_forward) state_.push_back(runs_.back()->nothing());
  }
}

MetricRun::Outcome MetricRun::evaluate(World& world) {
  for (const MetricLink& link : component_.outputs) world.fluents[link.table].clear();
  for (MetricTable& table : tables_) table.clear();
  endless_.begin();
  last_change_ = kNever;
  // On rational time, rules may need no facts.
  is_any_ = component_.is_rational || !component_.facts.empty();
  for (const MetricLink& link : component_.inputs) {
    if (!take(world, link)) return component_.is_rational ? Outcome::kNoEnd : Outcome::kTooFar;
  }
  if (!is_any_) return Outcome::kDone;
  if (!component_.is_rational && (is_far(moved(world.query, 1)) || is_far(world.origin))) return Outcome::kTooFar;
  for (const MetricGiven& fact : component_.facts) {
    tables_[fact.relation].add(fact.row, fact.during);
    for (const Time cell : {fact.during.start, fact.during.end}) {
      if (!is_infinite(cell)) note(next_point(cell));
    }
  }
  const MetricWatch watch = [&] { world.watch.check(); };
  for (Index stratum = 0; stratum < component_.spans.size(); ++stratum) {
    const MetricSpan& span = component_.spans[stratum];
    const auto work = [&] { return evaluate_stratum(stratum, world, watch); };
    if (!measured(stratum, world.prepared.is_profiled, work)) return Outcome::kNoEnd;
    const auto [before, after] = runs_[stratum]->lies_beyond();
    const bool asks_before = span.asks_before || (component_.is_rational && world.origin == kNever);
    const bool asks_after = span.asks_after || (component_.is_rational && world.query >= kMostCells);
    if ((before && asks_before) || (after && asks_after)) return Outcome::kTooFar;
  }
  spell_out(world);
  for (const MetricLink& link : component_.outputs) {
    component_.is_rational ? give_cells(world, link, kEndless) : give(world, link);
  }
  // Results after the query time depend on it until all consequences of the input have happened.
  if (!component_.is_rational &&
      (component_.reach == kForever || moved(last_change_, moved(component_.reach, 1)) > world.query)) {
    world.depends_on_query = true;
  }
  return Outcome::kDone;
}

bool MetricRun::evaluate_stratum(Index stratum, const World& world, const MetricWatch& watch) {
  MetricStratumRun& run = *runs_[stratum];
  const auto limits = within(component_.spans[stratum], world);
  const bool is_limited = limits && limits->start > -kEndless && limits->end < kEndless;
  const bool reads_tails = endless_.reads_tails(run.stratum());
  if (!limits || (reads_tails && !is_limited)) return endless_.evaluate(run, watch);
  if (reads_tails) endless_.spell_out_for(run.stratum(), *limits);
  return run.run_once(*limits, MetricStratumRun::kNoLimit, watch);
}

// Whether a repetition is output as one period: if the output is unbounded, or the query asks beyond the bound.
bool MetricRun::gives_repeats(Index relation, bool is_left, const World& world) const {
  if (!component_.is_rational || component_.is_forward) return false;
  if (!(is_left ? endless_.left(relation) : endless_.right(relation))) return false;
  if (is_left ? world.origin == kNever : world.query >= kMostCells) return true;
  for (Index stratum = 0; stratum < component_.spans.size(); ++stratum) {
    const auto& made = component_.plan.strata[stratum].relations;
    if (std::find(made.begin(), made.end(), relation) == made.end()) continue;
    return is_left ? component_.spans[stratum].asks_before : component_.spans[stratum].asks_after;
  }
  return false;
}

void MetricRun::spell_out(const World& world) {
  const Time unit = component_.is_rational ? 1 : 2 * component_.scale;
  for (const MetricLink& link : component_.outputs) {
    const bool has_left = endless_.left(link.relation) && !gives_repeats(link.relation, true, world);
    const bool has_right = endless_.right(link.relation) && !gives_repeats(link.relation, false, world);
    if (!has_left && !has_right) continue;
    endless_.spell_out(link.relation,
                       {has_left ? world.origin * unit : 0, has_right ? moved(world.query, 2) * unit : 0});
  }
}

// Conversion between rows and relations

bool MetricRun::take(const World& world, const MetricLink& link) {
  MetricTable& into = tables_[link.relation];
  if (component_.is_rational) {
    repeats_.clear();
    take_cells(world.fluent_table(link.table), kAllTime, into);
    return repeats_.empty() || endless_.take(link.relation, repeats_);
  }
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

void MetricRun::take_cells(const FluentTable& fluent, Interval slice, MetricTable& into) {
  for (Index number = 0; number < fluent.pair_count; ++number) {
    const Pair& pair = fluent.pairs[number];
    const auto first = slice.start <= -kEndless ? pair.list.begin() : first_after(pair.list, slice.start);
    Index row = kNoRow;
    for (auto one = first; one != pair.list.end() && one->start < slice.end; ++one) {
      const Interval whole{one->start == kNever ? -kEndless : one->start, one->end == kForever ? kEndless : one->end};
      const Interval part = common(whole, slice);
      if (is_empty(part)) continue;
      if (pair.value != component_.holds) {
        repeats_.push_back({into.row_of(fluent.columns(pair.instance)), part, pair.value.as_integer()});
        continue;
      }
      // The lists of pairs are sorted. Only a relation with other input already has intervals.
      if (row == kNoRow) row = into.row_of(fluent.columns(pair.instance));
      Intervals& list = into.list(row);
      if (list.empty() || list.back().end < part.start) {
        list.push_back(part);
      } else {
        into.add(fluent.columns(pair.instance), part);
      }
    }
  }
}

std::optional<Interval> MetricRun::within(const MetricSpan& span, const World& world) const {
  Interval found = kAllTime;
  const auto cell = [&](Time point, Time ticks) {
    const Time more = 2 * std::clamp<Time>(ticks, -kMostCells / 8, kMostCells / 8);
    return (component_.is_rational ? point : 2 * component_.scale * point) + more;
  };
  const bool has_start = !component_.is_rational || world.origin != kNever;
  const bool has_end = !component_.is_rational || world.query < kMostCells;
  const Time last = component_.is_rational ? world.query : moved(world.query, 1);
  if (span.after && has_end) {
    found.end = cell(last, *span.after) + 1;
  } else if (span.before && has_start) {
    found.start = cell(world.origin, -*span.before);
  } else if (span.is_endless || span.after || span.before) {
    return std::nullopt;
  }
  return found;
}

Time MetricRun::next_point(Time cell) const {
  const Time unit = 2 * component_.scale;
  const Time whole = cell / unit;
  return whole * unit < cell ? whole + 1 : whole;
}

void MetricRun::give(World& world, const MetricLink& link) const {
  FluentTable& fluent = world.fluents[link.table];
  const MetricTable& found = tables_[link.relation];
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

// Outputs one period of a repetition, with the period as value. Returns the remaining time, which is output directly.
Interval MetricRun::give_repeats(FluentTable& fluent, Index instance, const Intervals& known, Index relation,
                                 const World& world) const {
  Interval plain = kAllTime;
  for (const bool is_left : {false, true}) {
    if (!gives_repeats(relation, is_left, world)) continue;
    const auto& tail = is_left ? endless_.left(relation) : endless_.right(relation);
    const Time since = is_left ? 1 - tail->since : tail->since;
    const Interval window = is_left ? Interval{since - tail->period, since} : Interval{since, since + tail->period};
    (is_left ? plain.start : plain.end) = since;
    const Value period = Value::integer(is_left ? -tail->period : tail->period);
    for (auto one = first_after(known, window.start); one != known.end() && one->start < window.end; ++one) {
      if (is_infinite(one->start) || is_infinite(one->end)) continue;
      fluent.pairs[fluent.add_pair(instance, period).first].list.push_back(common(*one, window));
    }
  }
  return plain;
}

// Intervals that end at `last` continue until further notice.
void MetricRun::give_cells(World& world, const MetricLink& link, Time last) const {
  FluentTable& fluent = world.fluents[link.table];
  const MetricTable& found = tables_[link.relation];
  for (Index row = 0; row < found.rows(); ++row) {
    const Intervals& known = found.list(row);
    if (known.empty() || !world.is_of_key(link.table, found.args(row))) continue;
    const Index instance = fluent.add(found.args(row));
    const Interval plain = give_repeats(fluent, instance, known, link.relation, world);
    Intervals& list = fluent.pairs[fluent.add_pair(instance, component_.holds).first].list;
    for (const Interval& whole : known) {
      const Interval one = is_infinite(whole.start) || is_infinite(whole.end) ? whole : common(whole, plain);
      if (is_empty(one)) continue;
      const Time start = one.start <= -kEndless ? kNever : one.start;
      const Time end = one.end >= last ? kForever : one.end;
      if (!list.empty() && list.back().end >= start) {
        list.back().end = end;
      } else {
        list.push_back({start, end});
      }
    }
  }
}

}  // namespace holdsfor
