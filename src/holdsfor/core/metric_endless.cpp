#include "metric_endless.h"

#include <algorithm>
#include <numeric>

namespace holdsfor {
namespace {

// Rounds over all time when something holds without end; recursion usually ends much earlier.
constexpr std::size_t kFewRounds = 1'000;
// Ranges tried, each longer than the previous one; and intervals found in a range, to bound time and memory.
constexpr int kMostRanges = 12;
constexpr std::size_t kMostIntervals = 30'000'000;
// Length of the first range beyond the data, in multiples of the longest look of a rule.
constexpr Time kFirstRange = 32;
constexpr Time kLongestPeriod = Time{1} << 50U;
// Periods that must be seen before the repetition is assumed.
constexpr std::size_t kPeriodsSeen = 3;
// Limit of a common period, in multiples of the shortest period.
constexpr Time kMostPeriods = 1'000'000;

Time even(Time cell) { return cell & ~Time{1}; }

// How far a rule looks, in cells. Infinite bounds do not count.
Time look_of(const Offsets& offsets) {
  Time found = 0;
  for (const auto& bound : {offsets.low, offsets.high}) {
    if (bound) found = std::max(found, 2 * std::min(std::abs(*bound), kEndless / 8));
  }
  return found;
}

Time look_of(const MetricRule& rule) {
  if (const auto* move = std::get_if<MetricMove>(&rule)) return look_of(move->offsets);
  if (const auto* last = std::get_if<MetricLast>(&rule)) return look_of(last->offsets);
  return 0;
}

Time common_multiple(Time one, Time other) {
  if (one == 0 || other == 0) return std::max(one, other);
  const Time factor = one / std::gcd(one, other);
  return factor > kLongestPeriod / other ? kLongestPeriod : factor * other;
}

// Whether one list covers another within an interval.
bool has_all(const Intervals& list, const Intervals& wanted, Interval within) {
  for (auto one = first_after(wanted, within.start); one != wanted.end() && one->start < within.end; ++one) {
    const Interval part = common(*one, within);
    if (is_empty(part)) continue;
    const auto at = first_after(list, part.start);
    if (at == list.end() || at->start > part.start || at->end < part.end) return false;
  }
  return true;
}

bool has_all(const MetricTable& table, const MetricTable& wanted, Interval within) {
  const Intervals nothing;
  for (Index row = 0; row < wanted.rows(); ++row) {
    const Index known = table.find(wanted.args(row));
    if (!has_all(known == kNoRow ? nothing : table.list(known), wanted.list(row), within)) return false;
  }
  return true;
}

void clip(MetricTable& table, Interval within) {
  MetricTable kept(table.width());
  for (Index row = 0; row < table.rows(); ++row) {
    for (const Interval& one : table.list(row)) {
      if (const Interval part = common(one, within); !is_empty(part)) kept.add(table.args(row), part);
    }
  }
  table = std::move(kept);
}

std::size_t size_of(const std::vector<MetricTable>& tables, const MetricStratum& stratum) {
  std::size_t found = 0;
  for (const Index relation : stratum.relations) found += tables[relation].intervals();
  return found;
}

}  // namespace

std::vector<Index> relations_read(const MetricStratum& stratum) {
  std::vector<Index> found;
  for (const MetricRule& rule : stratum.rules) {
    each_source(rule, [&](Index relation) {
      if (std::find(stratum.relations.begin(), stratum.relations.end(), relation) != stratum.relations.end()) return;
      if (std::find(found.begin(), found.end(), relation) == found.end()) found.push_back(relation);
    });
  }
  return found;
}

MetricEndless::MetricEndless(std::vector<MetricTable>& tables) : tables_(tables) {
  sides_[1].is_left = true;
  begin();
}

void MetricEndless::begin() {
  for (Side& side : sides_) {
    side.tails.assign(tables_.size(), std::nullopt);
    side.spelled_out.assign(tables_.size(), 0);
  }
}

bool MetricEndless::reads_tails(const MetricStratum& stratum) const {
  const auto read = relations_read(stratum);
  return std::any_of(read.begin(), read.end(), [&](Index relation) { return right(relation) || left(relation); });
}

// The mirror image of an interval of cells, on the left side.
Interval MetricEndless::seen(const Side& side, Interval one) {
  if (!side.is_left) return one;
  return {one.end >= kEndless ? -kEndless : 1 - one.end, one.start <= -kEndless ? kEndless : 1 - one.start};
}

// Repetition

void MetricEndless::spell_out(Index relation, Interval within) {
  for (Side& side : sides_) {
    if (side.tails[relation]) extend(side, relation, seen(side, within).end);
  }
}

void MetricEndless::spell_out_for(const MetricStratum& stratum, Interval within) {
  Time more = 0;
  for (const MetricRule& rule : stratum.rules) more = std::max(more, look_of(rule));
  const auto read = relations_read(stratum);
  Time period = 0;
  for (const Side& side : sides_) {
    for (const Index relation : read) {
      if (side.tails[relation]) period = common_multiple(period, side.tails[relation]->period);
    }
  }
  // A look without limit finds a fact within one period, or never.
  more += 2 * period + 2;
  for (const Index relation : read) spell_out(relation, {within.start - more, within.end + more});
}

void MetricEndless::extend(Side& side, Index relation, Time until) {
  Time& known = side.spelled_out[relation];
  if (until <= known) return;
  const Time period = side.tails[relation]->period;
  const Time times = (until - known + period - 1) / period;
  const Interval window{known - period, known};
  MetricTable& table = tables_[relation];
  Intervals pieces;
  Intervals made;
  for (Index row = 0; row < table.rows(); ++row) {
    pieces.clear();
    for (const Interval& one : table.list(row)) {
      const Interval part = common(seen(side, one), window);
      if (!is_empty(part) && seen(side, one).end < kEndless) pieces.push_back(part);
    }
    std::sort(pieces.begin(), pieces.end(), [](const Interval& a, const Interval& b) { return a.start < b.start; });
    made.clear();
    for (Time number = 1; number <= times && !pieces.empty(); ++number) {
      for (const Interval& one : pieces) {
        made.push_back(seen(side, Interval{one.start + number * period, one.end + number * period}));
      }
    }
    if (made.empty()) continue;
    Intervals& list = table.list(row);
    list.insert(list.end(), made.begin(), made.end());
    make_maximal(list);
  }
  known += times * period;
}

bool MetricEndless::take(Index relation, std::span<const MetricRepeat> repeats) {
  MetricTable& table = tables_[relation];
  for (Side& side : sides_) {
    Time period = 0;
    Time shortest = kLongestPeriod;
    Time since = -kEndless;
    for (const MetricRepeat& one : repeats) {
      if ((one.period < 0) != side.is_left) continue;
      period = common_multiple(period, std::abs(one.period));
      shortest = std::min(shortest, std::abs(one.period));
      since = std::max(since, even(seen(side, one.during).end) + 2);
    }
    if (period == 0) continue;
    if (period >= kLongestPeriod || period / shortest > kMostPeriods) return false;
    const Interval spelled_out{-kEndless, since + period};
    for (const MetricRepeat& one : repeats) {
      if ((one.period < 0) != side.is_left) continue;
      Interval part = seen(side, one.during);
      for (; part.start < spelled_out.end;
           part = {part.start + std::abs(one.period), part.end + std::abs(one.period)}) {
        table.list(one.row).push_back(seen(side, common(part, spelled_out)));
      }
      make_maximal(table.list(one.row));
    }
    side.tails[relation] = MetricTail{since, period};
    side.spelled_out[relation] = spelled_out.end;
  }
  return true;
}

// Evaluation

void MetricEndless::find_data(const MetricStratum& stratum) {
  data_ = {kEndless, -kEndless};
  has_infinite_ = false;
  period_ = 0;
  reach_ = 2;
  const auto note = [&](Time cell) { data_ = {std::min(data_.start, cell), std::max(data_.end, cell)}; };
  for (const MetricRule& rule : stratum.rules) reach_ = std::max(reach_, look_of(rule));
  std::vector<Index> relations = relations_read(stratum);
  for (const Side& side : sides_) {
    for (const Index relation : relations) {
      const auto& tail = side.tails[relation];
      if (!tail) continue;
      note(seen(side, tail->since));
      period_ = common_multiple(period_, tail->period);
    }
  }
  relations.insert(relations.end(), stratum.relations.begin(), stratum.relations.end());
  for (const Index relation : relations) {
    const MetricTable& table = tables_[relation];
    const auto& right_tail = right(relation);
    const auto& left_tail = left(relation);
    for (Index row = 0; row < table.rows(); ++row) {
      for (const Interval& one : table.list(row)) {
        for (const Time cell : {one.start, one.end}) {
          const bool is_again =
              (right_tail && cell >= right_tail->since) || (left_tail && 1 - cell >= left_tail->since);
          has_infinite_ = has_infinite_ || is_infinite(cell);
          if (!is_infinite(cell) && !is_again) note(cell);
        }
      }
    }
  }
  if (data_.start > data_.end) data_ = {0, 1};
}

MetricEndless::Tables MetricEndless::own(const MetricStratum& stratum) const {
  Tables found;
  for (const Index relation : stratum.relations) found.push_back(tables_[relation]);
  return found;
}

void MetricEndless::put(const MetricStratum& stratum, const Tables& tables) {
  for (std::size_t i = 0; i < tables.size(); ++i) tables_[stratum.relations[i]] = tables[i];
}

bool MetricEndless::evaluate(MetricStratumRun& run, const MetricWatch& watch) {
  const MetricStratum& stratum = run.stratum();
  find_data(stratum);
  given_ = own(stratum);
  if (has_infinite_ && period_ == 0) {
    if (run.run_once(kAllTime, kFewRounds, watch)) return true;
    put(stratum, given_);
  }
  if (period_ >= kLongestPeriod) return false;
  Time more = kFirstRange * reach_ + 4 * period_;
  for (int attempt = 0; attempt < kMostRanges; ++attempt, more *= 3) {
    if (more > kEndless / 16 || data_.end > kEndless / 4 || data_.start < -kEndless / 4) return false;
    const Interval range{even(data_.start - more), even(data_.end + more) + 1};
    spell_out_for(stratum, range);
    put(stratum, given_);
    if (!run.run_once(range, MetricStratumRun::kNoLimit, watch)) return false;
    if (!run.was_cut() && period_ == 0) return true;
    if (size_of(tables_, stratum) > kMostIntervals) return false;
    const auto right_tail = find_tail(stratum, sides_[0], range);
    const auto left_tail = find_tail(stratum, sides_[1], range);
    if (!right_tail || !left_tail) continue;
    assume(stratum, sides_[0], *right_tail);
    assume(stratum, sides_[1], *left_tail);
    const Interval part{1 - left_tail->since, right_tail->since};
    const Tables assumed = own(stratum);
    const bool is_right = is_closed(run, range, watch) && (put(stratum, assumed), true) &&
                          follows(run, sides_[0], *right_tail, range, part, watch) && (put(stratum, assumed), true) &&
                          follows(run, sides_[1], *left_tail, range, part, watch);
    put(stratum, assumed);
    if (is_right) {
      for (Side& side : sides_) settle(stratum, side);
      return true;
    }
    for (Side& side : sides_) {
      for (const Index relation : stratum.relations) side.tails[relation].reset();
    }
  }
  return false;
}

std::vector<MetricEndless::Edges> MetricEndless::edges(const MetricStratum& stratum, const Side& side,
                                                       Interval region) const {
  std::vector<Edges> found;
  std::uint64_t number = 0;
  for (const Index relation : stratum.relations) {
    const MetricTable& table = tables_[relation];
    for (Index row = 0; row < table.rows(); ++row) {
      ++number;
      for (const Interval& one : table.list(row)) {
        const Interval there = seen(side, one);
        // Events at the same time are summed, so their order does not matter.
        if (there.start >= region.start && there.start < region.end) found.push_back({there.start, mix(1, number)});
        if (there.end >= region.start && there.end < region.end) found.push_back({there.end, mix(2, number)});
      }
    }
  }
  std::sort(found.begin(), found.end(), [](const Edges& one, const Edges& other) { return one.time < other.time; });
  std::size_t kept = 0;
  for (const Edges& one : found) {
    if (kept > 0 && found[kept - 1].time == one.time) {
      found[kept - 1].what += one.what;
    } else {
      found[kept++] = one;
    }
  }
  found.resize(kept);
  return found;
}

// Finds a tail: the start and period from which results in a range repeat on a side. Near the end of the range, results
// lack consequences of facts beyond it.
std::optional<MetricTail> MetricEndless::find_tail(const MetricStratum& stratum, const Side& side, Interval range) {
  const Interval whole = seen(side, range);
  const Time data_end = even(seen(side, data_).end) + 2;
  const Interval region{data_end, data_end + (whole.end - data_end) / 2};
  const std::vector<Edges> found = edges(stratum, side, region);
  const Time least = std::max<Time>(period_, 2);
  const auto tail = [&](Time since, Time period) -> std::optional<MetricTail> {
    period = common_multiple(period, least);
    if (period >= kLongestPeriod) return std::nullopt;
    const MetricTail made{even(since) + 2 + 2 * period + 2 * reach_, period};
    return fits(side, made, range) ? std::optional(made) : std::nullopt;
  };
  Time widest = 0;
  for (std::size_t i = 1; i < found.size(); ++i) widest = std::max(widest, found[i].time - found[i - 1].time);
  const bool is_calm = found.empty() || region.end - found.back().time > 2 * (widest + reach_) + 2;
  if (is_calm) return tail(found.empty() ? data_end : found.back().time, least);
  // Backwards: the events at a time, combined with the distance to the previous time.
  const std::size_t count = found.size();
  const auto token = [&](std::size_t place) {
    const std::size_t i = count - 1 - place;
    return std::pair(found[i].what, i == 0 ? Time{-1} : found[i].time - found[i - 1].time);
  };
  std::vector<std::size_t> border(count + 1, 0);
  for (std::size_t n = 1; n < count; ++n) {
    std::size_t known = border[n];
    while (known > 0 && token(n) != token(known)) known = border[known];
    border[n + 1] = token(n) == token(known) ? known + 1 : 0;
  }
  for (std::size_t n = count; n > 0; --n) {
    const std::size_t steps = n - border[n];
    if (n < kPeriodsSeen * steps || steps >= count) continue;
    return tail(found[count - n].time, found[count - 1].time - found[count - 1 - steps].time);
  }
  return std::nullopt;
}

// Whether two periods of a tail, and the reach of rules from there, lie in the range.
bool MetricEndless::fits(const Side& side, const MetricTail& tail, Interval range) const {
  return tail.since + 2 * tail.period + 2 * reach_ < seen(side, range).end;
}

void MetricEndless::assume(const MetricStratum& stratum, Side& side, const MetricTail& tail) {
  const Interval window{tail.since, tail.since + tail.period};
  for (const Index relation : stratum.relations) {
    MetricTable& table = tables_[relation];
    clip(table, seen(side, Interval{-kEndless, window.end}));
    for (Index row = 0; row < table.rows(); ++row) {
      Intervals& list = table.list(row);
      if (list.empty()) continue;
      Interval& last = side.is_left ? list.front() : list.back();
      // What holds during a whole period holds without end.
      if (seen(side, last).start > window.start || seen(side, last).end < window.end) continue;
      (side.is_left ? last.start : last.end) = side.is_left ? -kEndless : kEndless;
    }
    side.tails[relation] = tail;
    side.spelled_out[relation] = window.end;
  }
}

bool MetricEndless::is_closed(MetricStratumRun& run, Interval range, const MetricWatch& watch) {
  const MetricStratum& stratum = run.stratum();
  for (const Index relation : stratum.relations) spell_out(relation, range);
  const Tables assumed = own(stratum);
  if (!run.run_once(range, MetricStratumRun::kNoLimit, watch)) return false;
  const Interval inner{range.start + reach_, range.end - reach_};
  for (std::size_t i = 0; i < assumed.size(); ++i) {
    if (!has_all(assumed[i], tables_[stratum.relations[i]], inner)) return false;
  }
  for (Side& side : sides_) {
    for (const Index relation : stratum.relations) {
      side.spelled_out[relation] = side.tails[relation]->since + side.tails[relation]->period;
    }
  }
  return true;
}

bool MetricEndless::follows(MetricStratumRun& run, const Side& side, const MetricTail& tail, Interval range,
                            Interval explicit_part, const MetricWatch& watch) {
  const MetricStratum& stratum = run.stratum();
  const Tables assumed = own(stratum);
  for (std::size_t i = 0; i < assumed.size(); ++i) {
    MetricTable& table = tables_[stratum.relations[i]];
    clip(table, explicit_part);
    // Given facts need no derivation.
    for (Index row = 0; row < given_[i].rows(); ++row) {
      for (const Interval& one : given_[i].list(row)) table.add(given_[i].args(row), one);
    }
  }
  if (!run.run_once(range, MetricStratumRun::kNoLimit, watch)) return false;
  const Interval next = seen(side, Interval{tail.since, tail.since + tail.period});
  for (std::size_t i = 0; i < assumed.size(); ++i) {
    if (!has_all(tables_[stratum.relations[i]], assumed[i], next)) return false;
  }
  return true;
}

// Drops tails of relations in which nothing begins or ends any more.
void MetricEndless::settle(const MetricStratum& stratum, Side& side) {
  for (const Index relation : stratum.relations) {
    const Interval window{side.tails[relation]->since, side.tails[relation]->since + side.tails[relation]->period};
    const MetricTable& table = tables_[relation];
    bool is_calm = true;
    for (Index row = 0; row < table.rows() && is_calm; ++row) {
      for (const Interval& one : table.list(row)) {
        const Interval there = seen(side, one);
        if (is_empty(common(there, window)) || there.end >= kEndless) continue;
        is_calm = false;
      }
    }
    if (is_calm) {
      side.tails[relation].reset();
    } else {
      shorten(side, relation);
    }
  }
}

// Finds the shortest period of a relation, and the earliest start of the repetition at which no interval is cut.
void MetricEndless::shorten(Side& side, Index relation) {
  MetricTail& tail = *side.tails[relation];
  const MetricTable& table = tables_[relation];
  const Interval window{tail.since, tail.since + tail.period};
  std::vector<Intervals> lists;  // lists with a start or end in the window, and what lies before it
  std::size_t edges = 0;
  Time first = kEndless;
  for (Index row = 0; row < table.rows(); ++row) {
    Intervals list;
    for (const Interval& one : table.list(row)) list.push_back(seen(side, one));
    std::sort(list.begin(), list.end(), [](const Interval& a, const Interval& b) { return a.start < b.start; });
    if (list.empty() || list.back().end >= kEndless) continue;
    const auto in_window = first_after(list, window.start);
    edges += static_cast<std::size_t>(list.end() - in_window);
    if (in_window != list.end()) first = std::min(first, list.front().start);
    lists.push_back(std::move(list));
  }
  Intervals shifted;
  Intervals different;
  const auto moved_back = [&](const Intervals& list, Time period) {
    shifted.clear();
    for (const Interval& one : list) shifted.push_back({one.start - period, one.end - period});
  };
  // The last time before `until` at which the lists differ from the lists one period later.
  const auto last_difference = [&](Time period, Time until) {
    Time found = -kEndless;
    for (const Intervals& list : lists) {
      moved_back(list, period);
      for (const bool is_first : {true, false}) {
        subtract(is_first ? list : shifted, is_first ? shifted : list, different);
        for (const Interval& one : different) {
          if (one.start < until) found = std::max(found, std::min(one.end, until));
        }
      }
    }
    return found;
  };
  const Time ticks = tail.period / 2;
  for (Time parts = std::min<Time>(static_cast<Time>(edges), ticks); parts > 1; --parts) {
    if (ticks % parts != 0) continue;
    const Time period = 2 * (ticks / parts);
    if (last_difference(period, window.end - period) > window.start) continue;
    tail.period = period;
    break;
  }
  const Time earliest = std::max(last_difference(tail.period, window.end - tail.period), first);
  // At these places no interval is cut.
  std::vector<Time> places{earliest};
  for (const Intervals& list : lists) {
    for (const Interval& one : list) {
      for (const Time cell : {one.start, one.end}) {
        if (cell > earliest && cell < earliest + tail.period) places.push_back(cell);
      }
    }
  }
  std::sort(places.begin(), places.end());
  const auto is_between = [&](Time place) {
    return std::all_of(lists.begin(), lists.end(), [&](const Intervals& list) {
      const auto at = first_after(list, place);
      return at == list.end() || at->start >= place;
    });
  };
  const auto chosen = std::find_if(places.begin(), places.end(), is_between);
  tail.since = chosen == places.end() ? earliest : *chosen;
}

}  // namespace holdsfor
