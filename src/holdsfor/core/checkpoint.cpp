#include "checkpoint.h"

#include <algorithm>

#include "sorting.h"

namespace holdsfor {
namespace {

constexpr std::uint64_t kDeclared = 1;
constexpr std::uint64_t kInitially = 2;

}  // namespace

// Appends a bit for each word (set for terms), then the number of words that the bits describe.
void CheckpointWriter::finish() {
  const std::size_t count = words_->size();
  words_->resize(count + (count + 63) / 64);
  for (const std::size_t at : terms_) (*words_)[count + at / 64] |= std::uint64_t{1} << (at % 64);
  words_->push_back(count);
}

std::vector<std::size_t> terms_in(const Checkpoint& checkpoint) {
  std::vector<std::size_t> found;
  const auto& words = checkpoint.words;
  const std::uint64_t count = words.empty() ? 0 : words.back();
  if (count == 0 || count >= words.size() || words.size() != count + (count + 63) / 64 + 1) return found;
  for (std::size_t at = 0; at < count; ++at) {
    if ((words[count + at / 64] >> (at % 64) & 1U) != 0) found.push_back(at);
  }
  return found;
}

void CheckpointReader::refuse() { throw std::invalid_argument("a checkpoint does not fit its plan"); }

Index CheckpointReader::get_index(std::size_t limit) {
  const std::uint64_t found = get();
  if (found >= limit) refuse();
  return static_cast<Index>(found);
}

std::size_t CheckpointReader::get_count(std::size_t words_each) {
  const std::uint64_t found = get();
  if (found > (words_.size() - at_) / std::max<std::size_t>(1, words_each) || found >= kNone) refuse();
  return found;
}

void CheckpointReader::get(std::vector<Value>& into, std::size_t count) {
  if (count > words_.size() - at_) refuse();
  into.resize(count);
  for (Value& value : into) value = Value::from_word(words_[at_++]);
}

namespace {

// The saved state of a pair: the start of its open interval, and the range of its saved intervals.
struct PairState {
  Time since = kForever;
  std::size_t first = 0;
  std::size_t last = 0;
};

void sort_by_contents(const FluentTable& fluent, std::vector<Index>& pairs) {
  const auto by_word = [](Value a, Value b) { return a.word() < b.word(); };
  const auto comes_before = [&](Index a, Index b) {
    const Pair& one = fluent.pairs[a];
    const Pair& other = fluent.pairs[b];
    if (one.instance == other.instance) return one.value.word() < other.value.word();
    const auto columns = fluent.columns(one.instance);
    const auto others = fluent.columns(other.instance);
    return std::lexicographical_compare(columns.begin(), columns.end(), others.begin(), others.end(), by_word);
  };
  // Pairs from a checkpoint are already sorted and precede the others.
  sort_added(pairs.begin(), pairs.end(), comes_before);
}

// `state_of(number)` is the saved state of a pair. `is_needed(number)`: its last initiation matters.
template <typename StateOf, typename IsNeeded>
void save_pairs(CheckpointWriter& into, const FluentTable& fluent, bool keeps_all, const StateOf& state_of,
                const IsNeeded& is_needed, SavedNumbers& saved) {
  saved.order.clear();
  saved.pairs.clear();
  for (Index number = 0; number < fluent.pair_count; ++number) {
    const PairState state = state_of(number);
    if (!keeps_all && state.since == kForever && state.first == state.last && !is_needed(number)) continue;
    saved.order.push_back(number);
  }
  if (saved.order.empty() && (!keeps_all || fluent.instances.empty())) {
    into.put(std::uint64_t{0});  // instances
    into.put(std::uint64_t{0});  // pairs
    return;
  }
  saved.pairs.assign(fluent.pair_count, kNone);
  saved.instances.assign(fluent.instances.size(), kNone);
  Index instances = 0;
  Index count = 0;
  const std::size_t head = into.size();
  into.put(std::uint64_t{0});
  const auto keep_instance = [&](Index number) {
    if (saved.instances[number] != kNone) return;
    saved.instances[number] = instances++;
    into.put(fluent.columns(number));
  };
  if (keeps_all) {
    for (Index number = 0; number < fluent.instances.size(); ++number) keep_instance(number);
  }
  // Equal states must have equal words, independent of the order in which pairs appeared. Otherwise an evaluation could
  // not detect that a change has no further effect.
  if (!keeps_all && saved.order.size() > 1) sort_by_contents(fluent, saved.order);
  for (const Index number : saved.order) {
    saved.pairs[number] = count++;
    keep_instance(fluent.pairs[number].instance);
  }
  into.set(head, instances);
  into.put(count);
  for (const Index number : saved.order) {
    const Pair& pair = fluent.pairs[number];
    const PairState state = state_of(number);
    into.put(saved.instances[pair.instance]);
    into.put(pair.value);
    into.put_time(state.since);
    into.put_time(is_needed(number) ? pair.last_effective : kNever);
    into.put((pair.is_declared ? kDeclared : 0) | (pair.starts_initially ? kInitially : 0));
    into.put(state.last - state.first);
    for (std::size_t i = state.first; i < state.last; ++i) {
      into.put_time(pair.list[i].start);
      into.put_time(pair.list[i].end);
    }
  }
}

// The index of the first interval to keep, of the first `count` of a list in time order.
std::size_t first_kept(const Intervals& list, std::size_t count, Time time, Time keep) {
  const Time least = keep == kForever ? kNever : moved(moved(time, 1), -keep);
  while (count > 0 && list[count - 1].end > least) --count;
  return count;
}

}  // namespace

void save_fluent(CheckpointWriter& into, const FluentTable& fluent, const std::vector<bool>& needed, Time time,
                 Time keep, SavedNumbers& saved) {
  const auto state_of = [&](Index number) {
    const Pair& pair = fluent.pairs[number];
    return PairState{pair.since, first_kept(pair.list, pair.list.size(), time, keep), pair.list.size()};
  };
  const auto is_needed = [&](Index number) { return number < needed.size() && needed[number]; };
  save_pairs(into, fluent, keep == kForever, state_of, is_needed, saved);
}

void save_lists(CheckpointWriter& into, const FluentTable& fluent, Time time, Time keep, SavedNumbers& saved) {
  const auto state_of = [&](Index number) {
    const Intervals& list = fluent.pairs[number].list;
    const auto after = std::partition_point(list.begin(), list.end(), [&](Interval one) { return one.start <= time; });
    auto last = static_cast<std::size_t>(after - list.begin());
    PairState state;
    if (last > 0 && list[last - 1].end > time) state.since = list[--last].start;
    state.first = first_kept(list, last, time, keep);
    state.last = last;
    return state;
  };
  save_pairs(into, fluent, false, state_of, [](Index) { return false; }, saved);
}

void load_fluent(CheckpointReader& from, FluentTable& fluent, std::vector<Value>& columns) {
  fluent.clear();
  const std::size_t instances = from.get_count(fluent.width);
  for (std::size_t i = 0; i < instances; ++i) {
    from.get(columns, fluent.width);
    fluent.append(columns);
  }
  const std::size_t pairs = from.get_count(6);
  for (std::size_t i = 0; i < pairs; ++i) {
    const Index instance = from.get_index(fluent.instances.size());
    const Index number = fluent.append_pair(instance, from.get_value());
    Pair& pair = fluent.pairs[number];
    pair.since = from.get_time();
    if (pair.since != kForever) fluent.instances[instance].current = number;
    pair.last_effective = from.get_time();
    const std::uint64_t flags = from.get();
    pair.is_declared = (flags & kDeclared) != 0;
    pair.starts_initially = (flags & kInitially) != 0;
    const std::size_t count = from.get_count(2);
    for (std::size_t k = 0; k < count; ++k) {
      const Time start = from.get_time();
      pair.list.push_back({start, from.get_time()});
    }
  }
}

void save_rows(CheckpointWriter& into, const EventTable& rows, Time time, Time keep) {
  std::size_t near = rows.size();
  const auto [first, last] = rows.between(keep == kForever ? kNever : moved(moved(time, 1), -keep), time, near);
  into.put(last - first);
  for (std::size_t row = first; row < last; ++row) {
    into.put_time(rows.time(row));
    into.put(rows.row(row));
  }
}

void load_rows(CheckpointReader& from, EventTable& rows, Time time) {
  std::vector<Value> later;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    if (rows.time(row) <= time) continue;
    later.push_back(Value::from_word(static_cast<std::uint64_t>(rows.time(row))));
    later.insert(later.end(), rows.row(row).begin(), rows.row(row).end());
  }
  rows.clear();
  std::vector<Value> args;
  const std::size_t count = from.get_count(rows.width + 1);
  for (std::size_t row = 0; row < count; ++row) {
    const Time when = from.get_time();
    from.get(args, rows.width);
    rows.add(when, args);
  }
  for (std::size_t at = 0; at < later.size(); at += rows.width + 1) {
    rows.add(static_cast<Time>(later[at].word()), std::span<const Value>(later).subspan(at + 1, rows.width));
  }
}

}  // namespace holdsfor
