#include "tables.h"

namespace holdsfor {
namespace {

// Rows examined one by one before switching to binary search.
constexpr int kNear = 8;
// Values of an instance that are compared one by one; more use a hash index.
constexpr Index kFewPairs = 8;

}  // namespace

Index TupleIndex::find(std::span<const Value> wanted, const std::vector<Value>& rows, std::size_t count) const {
  const std::size_t width = wanted.size();
  const auto is_at = [&](std::size_t row) {
    return std::equal(wanted.begin(), wanted.end(), rows.begin() + static_cast<std::ptrdiff_t>(row * width));
  };
  if (slots_.empty()) {
    for (std::size_t row = 0; row < count; ++row) {
      if (is_at(row)) return static_cast<Index>(row);
    }
    return kNone;
  }
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t at = hash_of(wanted) & mask; slots_[at] != kNone; at = (at + 1) & mask) {
    if (is_at(slots_[at])) return slots_[at];
  }
  return kNone;
}

void TupleIndex::added(const std::vector<Value>& rows, std::size_t width, std::size_t count) {
  if (count <= kFew) return;
  if (count * 2 > slots_.size()) {
    rebuild(rows, width, count);
    return;
  }
  const std::size_t last = count - 1;
  insert(hash_of({rows.data() + last * width, width}), static_cast<Index>(last));
}

void TupleIndex::insert(std::uint64_t hash, Index row) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = hash & mask;
  while (slots_[at] != kNone) at = (at + 1) & mask;
  slots_[at] = row;
}

void TupleIndex::rebuild(const std::vector<Value>& rows, std::size_t width, std::size_t count) {
  slots_.assign(std::bit_ceil(count * 4), kNone);
  for (std::size_t row = 0; row < count; ++row)
    insert(hash_of({rows.data() + row * width, width}), static_cast<Index>(row));
}

std::size_t EventTable::first_from(Time wanted, std::size_t near) const {
  std::size_t at = std::min(near, count_);
  for (int steps = 0; at > 0 && time(at - 1) >= wanted; --at) {
    if (++steps > kNear) {
      std::size_t low = 0;
      while (low < at) {
        const std::size_t middle = (low + at) / 2;
        if (time(middle) >= wanted) {
          at = middle;
        } else {
          low = middle + 1;
        }
      }
      return at;
    }
  }
  for (int steps = 0; at < count_ && time(at) < wanted; ++at) {
    if (++steps > kNear) {
      std::size_t high = count_;
      while (at < high) {
        const std::size_t middle = (at + high) / 2;
        if (time(middle) >= wanted) {
          high = middle;
        } else {
          at = middle + 1;
        }
      }
      return at;
    }
  }
  return at;
}

std::pair<std::size_t, std::size_t> EventTable::between(Time first, Time last, std::size_t& near) const {
  const std::size_t from = near = first_from(first, near);
  return {from, last == kForever ? count_ : first_from(last + 1, from)};
}

void EventTable::show(const Value* rows, std::size_t count) {
  rows_ = rows;
  count_ = count;
  ++version_;
}

void EventTable::add(Time when, std::span<const Value> args) {
  if (rows_ != own_.data()) own_.assign(rows_, rows_ + count_ * (width + 1));
  // Rules derive rows in time order, but the input may already have later events of the same kind.
  std::size_t at = count_;
  if (at > 0 && time(at - 1) > when) {
    at = first_from(when + 1, at);
    ++version_;
    const auto place = own_.begin() + static_cast<std::ptrdiff_t>(at * (width + 1));
    const auto next = own_.insert(place, Value::from_word(static_cast<std::uint64_t>(when)));
    own_.insert(std::next(next), args.begin(), args.end());
  } else {
    own_.push_back(Value::from_word(static_cast<std::uint64_t>(when)));
    own_.insert(own_.end(), args.begin(), args.end());
  }
  rows_ = own_.data();
  ++count_;
}

void EventTable::copy(const EventTable& other) {
  width = other.width;
  own_.assign(other.rows_, other.rows_ + other.count_ * (width + 1));
  show(own_.data(), other.count_);
}

void EventTable::drop() {
  own_.clear();
  show(own_.data(), 0);
}

Index FluentTable::add(std::span<const Value> added) {
  const Index found = find(added);
  return found != kNone ? found : append(added);
}

Index FluentTable::append(std::span<const Value> added) {
  args.insert(args.end(), added.begin(), added.end());
  instances.emplace_back();
  index_.added(args, width, instances.size());
  return static_cast<Index>(instances.size() - 1);
}

Index FluentTable::find_pair(Index instance, Value value) const {
  if (instances[instance].values <= kFewPairs) {
    Index found = instances[instance].first_pair;
    while (found != kNone && pairs[found].value != value) found = pairs[found].next;
    return found;
  }
  const std::size_t mask = pair_slots_.size() - 1;
  for (std::size_t at = mix(instance, value.word()) & mask; pair_slots_[at] != kNone; at = (at + 1) & mask) {
    const Pair& pair = pairs[pair_slots_[at]];
    if (pair.instance == instance && pair.value == value) return pair_slots_[at];
  }
  return kNone;
}

// Keeps at most half of the slots in use.
void FluentTable::index_pair(Index number) {
  if (++indexed_pairs_ * 2 > pair_slots_.size()) {
    pair_slots_.assign(std::bit_ceil(indexed_pairs_ * 4), kNone);
    indexed_pairs_ = 0;
    for (Index other = 0; other < pair_count; ++other) {
      if (instances[pairs[other].instance].values > kFewPairs) index_pair(other);
    }
    return;
  }
  const std::size_t mask = pair_slots_.size() - 1;
  std::size_t at = mix(pairs[number].instance, pairs[number].value.word()) & mask;
  while (pair_slots_[at] != kNone) {
    if (pair_slots_[at] == number) return;
    at = (at + 1) & mask;
  }
  pair_slots_[at] = number;
}

std::pair<Index, bool> FluentTable::add_pair(Index instance, Value value) {
  const Index found = find_pair(instance, value);
  if (found != kNone) return {found, false};
  return {append_pair(instance, value), true};
}

Index FluentTable::append_pair(Index instance, Value value) {
  const auto added = static_cast<Index>(pair_count++);
  if (added == pairs.size()) pairs.emplace_back();
  Pair& pair = pairs[added];
  Intervals list = std::move(pair.list);
  list.clear();
  pair = Pair{.instance = instance, .value = value, .list = std::move(list)};
  // Keep pairs in insertion order.
  Instance& owner = instances[instance];
  (owner.last_pair == kNone ? owner.first_pair : pairs[owner.last_pair].next) = added;
  owner.last_pair = added;
  if (++owner.values == kFewPairs + 1) {
    for (Index one = owner.first_pair; one != kNone; one = pairs[one].next) index_pair(one);
  } else if (owner.values > kFewPairs) {
    index_pair(added);
  }
  return added;
}

bool FluentTable::is_initiated(Index pair, Time now) const { return pairs[pair].last_initiated == now; }

bool FluentTable::is_known(Index pair, Time now) const {
  return has_held(pair) || (pairs[pair].is_declared && (holds_next(pair, now) || pairs[pair].holds_next));
}

bool FluentTable::is_ended_openly(Index number) const {
  const auto own = columns(pairs[number].instance);
  const auto matches = [&](Value wanted, Value value) { return terms->unifies(wanted, value); };
  for (std::size_t end = 0; end < open_ends.size(); end += width + 1) {
    bool is_ended = matches(open_ends[end + width], pairs[number].value);
    for (std::size_t i = 0; i < width && is_ended; ++i) is_ended = matches(open_ends[end + i], own[i]);
    if (is_ended) return true;
  }
  return false;
}

bool FluentTable::holds_next(Index number, Time now) const {
  const Pair& pair = pairs[number];
  const Instance& instance = instances[pair.instance];
  return pair.is_declared && (is_initiated(number, now) || instance.current == number) && !is_broken(number, now);
}

void FluentTable::index_edges() {
  starts.clear();
  ends.clear();
  for (Index number = 0; number < pair_count; ++number) {
    if (!pairs[number].is_declared) continue;
    for (const Interval& one : pairs[number].list) {
      if (one.start != kNever) starts.push_back({one.start - 1, number});
      if (one.end != kForever) ends.push_back({one.end - 1, number});
    }
  }
  std::stable_sort(starts.begin(), starts.end());
  std::stable_sort(ends.begin(), ends.end());
}

void Timelines::build(std::span<const Pair> pairs, std::size_t instances) {
  begin_.assign(instances + 1, 0);
  for (const Pair& pair : pairs) {
    if (pair.is_declared) begin_[pair.instance + std::size_t{1}] += pair.list.size();
  }
  for (std::size_t i = 0; i < instances; ++i) begin_[i + 1] += begin_[i];
  entries_.resize(begin_.back());
  next_.assign(begin_.begin(), begin_.end() - 1);
  for (Index number = 0; number < pairs.size(); ++number) {
    const Pair& pair = pairs[number];
    if (!pair.is_declared) continue;
    for (const Interval& one : pair.list) {
      entries_[next_[pair.instance]++] = {.start = one.start, .end = one.end, .latest_end = 0, .pair = number};
    }
  }
  for (std::size_t i = 0; i < instances; ++i) {
    const std::span own(entries_.data() + begin_[i], begin_[i + 1] - begin_[i]);
    sort(own);
    Time latest = kNever;
    for (Entry& one : own) one.latest_end = latest = std::max(latest, one.end);
  }
}

// Sorts by start. Most starts are spread evenly over their time, so a bucket sort puts them near their final position.
void Timelines::sort(std::span<Entry> own) {
  const auto comes_before = [](const Entry& a, const Entry& b) { return a.start < b.start; };
  if (std::is_sorted(own.begin(), own.end(), comes_before)) return;
  // Entries up to which a comparison sort is used; also the limit of a bucket.
  constexpr std::size_t kFew = 32;
  const auto [first, last] = std::minmax_element(own.begin(), own.end(), comes_before);
  const auto origin = static_cast<double>(first->start);
  const double scale = static_cast<double>(own.size()) / (static_cast<double>(last->start) - origin + 1.0);
  const auto place_of = [&](const Entry& one) {
    const auto place = static_cast<std::size_t>((static_cast<double>(one.start) - origin) * scale);
    return std::min(place, own.size() - 1);
  };
  places_.assign(own.size() + 1, 0);
  for (const Entry& one : own) ++places_[place_of(one) + 1];
  if (own.size() <= kFew || *std::max_element(places_.begin(), places_.end()) > kFew) {
    std::sort(own.begin(), own.end(), comes_before);
    return;
  }
  for (std::size_t i = 0; i < own.size(); ++i) places_[i + 1] += places_[i];
  spread_.resize(own.size());
  for (const Entry& one : own) spread_[places_[place_of(one)]++] = one;
  // Only entries in the same bucket can still be out of order.
  for (std::size_t i = 0; i < own.size(); ++i) {
    std::size_t at = i;
    for (; at > 0 && spread_[i].start < own[at - 1].start; --at) own[at] = own[at - 1];
    own[at] = spread_[i];
  }
}

std::span<const Index> Timelines::holding(Index instance, Time time, std::vector<Index>& found, Nearby& nearby) const {
  found.clear();
  const std::span own(entries_.data() + begin_[instance], begin_[instance + std::size_t{1}] - begin_[instance]);
  std::size_t at = first_after(own, time, nearby.of(instance));
  for (; at > 0 && own[at - 1].latest_end > time; --at) {
    if (own[at - 1].end > time) found.push_back(own[at - 1].pair);
  }
  if (found.size() > 1) std::sort(found.begin(), found.end());
  return found;
}

void FluentTable::index_times() {
  timelines_.clear();
  // Average number of values of an instance up to which pairs are examined one by one.
  constexpr std::size_t kFewValues = 4;
  if (pair_count <= kFewValues * instances.size()) return;
  timelines_.build({pairs.data(), pair_count}, instances.size());
}

void FluentTable::drop() {
  timelines_.clear();
  pair_slots_.clear();
  indexed_pairs_ = 0;
  args.clear();
  instances.clear();
  pair_count = 0;
  ended.clear();
  starts.clear();
  ends.clear();
  cuts.clear();
  open_ends.clear();
  index_.clear();
}

}  // namespace holdsfor
