#include "checkpoint.h"

namespace holdsfor {
namespace {

constexpr std::uint64_t kDeclared = 1;
constexpr std::uint64_t kInitially = 2;

}  // namespace

// A bit for each word, and then how many words the bits are about.
void CheckpointWriter::finish() {
  const std::size_t count = words_.size();
  words_.resize(count + (count + 63) / 64);
  for (const std::size_t at : terms_) words_[count + at / 64] |= std::uint64_t{1} << (at % 64);
  words_.push_back(count);
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
  into.clear();
  for (std::size_t i = 0; i < count; ++i) into.push_back(get_value());
}

SavedPairs save_fluent(CheckpointWriter& into, const FluentTable& fluent, const std::vector<bool>& needed, Time time,
                       Time keep) {
  const Time least = keep == kForever ? kNever : moved(moved(time, 1), -keep);
  // The first interval of a list that is kept; lists are in the order of time.
  const auto first_kept = [&](const Intervals& list) {
    std::size_t first = list.size();
    while (first > 0 && list[first - 1].end > least) --first;
    return first;
  };
  SavedPairs saved(fluent.pair_count, kNone);
  std::vector<Index> instances(fluent.instances.size(), kNone);
  std::vector<Index> kept_instances;
  Index count = 0;
  const auto keep_instance = [&](Index number) {
    if (instances[number] != kNone) return;
    instances[number] = static_cast<Index>(kept_instances.size());
    kept_instances.push_back(number);
  };
  if (keep == kForever) {
    for (Index number = 0; number < fluent.instances.size(); ++number) keep_instance(number);
  }
  for (Index number = 0; number < fluent.pair_count; ++number) {
    const Pair& pair = fluent.pairs[number];
    const bool is_kept = keep == kForever || pair.since != kForever || (number < needed.size() && needed[number]) ||
                         first_kept(pair.list) < pair.list.size();
    if (!is_kept) continue;
    saved[number] = count++;
    keep_instance(pair.instance);
  }
  into.put(kept_instances.size());
  for (const Index number : kept_instances) into.put(fluent.columns(number));
  into.put(count);
  for (Index number = 0; number < fluent.pair_count; ++number) {
    if (saved[number] == kNone) continue;
    const Pair& pair = fluent.pairs[number];
    into.put(instances[pair.instance]);
    into.put(pair.value);
    into.put_time(pair.since);
    into.put_time(number < needed.size() && needed[number] ? pair.last_effective : kNever);
    into.put((pair.is_declared ? kDeclared : 0) | (pair.starts_initially ? kInitially : 0));
    const std::size_t first = first_kept(pair.list);
    into.put(pair.list.size() - first);
    for (std::size_t i = first; i < pair.list.size(); ++i) {
      into.put_time(pair.list[i].start);
      into.put_time(pair.list[i].end);
    }
  }
  return saved;
}

void load_fluent(CheckpointReader& from, FluentTable& fluent) {
  fluent.clear();
  std::vector<Value> columns;
  const std::size_t instances = from.get_count(fluent.width);
  for (std::size_t i = 0; i < instances; ++i) {
    from.get(columns, fluent.width);
    fluent.add(columns);
  }
  const std::size_t pairs = from.get_count(6);
  for (std::size_t i = 0; i < pairs; ++i) {
    const Index instance = from.get_index(fluent.instances.size());
    const Index number = fluent.add_pair(instance, from.get_value()).first;
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
  std::size_t first = 0;
  std::size_t last = rows.size();
  while (last > 0 && rows.time(last - 1) > time) --last;
  const Time least = keep == kForever ? kNever : moved(time, -keep);
  if (keep != kForever) {
    for (first = last; first > 0 && rows.time(first - 1) > least;) --first;
  }
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
