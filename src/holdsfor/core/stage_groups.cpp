// Groups of tied keys: rows tie keys, and groups split after rows were removed.
#include <algorithm>
#include <map>
#include <numeric>

#include "checkpoint_parts.h"
#include "stage_store.h"

namespace holdsfor {
namespace {

constexpr std::size_t kRowsAtOnce = 1024;

// The first argument cell of a result.
std::size_t result_args(ResultKind kind) { return kind == ResultKind::kInterval ? 4 : 2; }

}  // namespace

// Joining

bool StageStore::has_state(Index slot) const {
  return (slot < states_.size() && is_used(slot)) || initial_.contains(slot);
}

void StageStore::tie_events(const Arrivals& arrivals) {
  const Route* route = route_of_[arrivals.table];
  if (route == nullptr || route->is_shared || (route->places.size() == 1 && !ties_.has_facts())) return;
  const std::size_t ways = route->places.size();
  for (std::size_t first = 0; first < arrivals.rows.size(); first += kRowsAtOnce) {
    const std::size_t count = std::min(kRowsAtOnce, arrivals.rows.size() - first);
    numbers_.resize(count * ways);
    for (std::size_t way = 0; way < ways; ++way) {
      const std::span<Index> column(numbers_.data() + way * count, count);
      keys_.numbers(arrivals.rows.args(first), arrivals.rows.width(), route->places[way], column);
      for (std::size_t i = 0; i < count; ++i) {
        const bool is_taken_back = !arrivals.is_retraction.empty() && arrivals.is_retraction[first + i];
        ties_.admit(column[i], keys_.key(column[i])[0]);
        if (way > 0 && !is_taken_back) ties_.tie(numbers_[i], column[i]);
      }
    }
  }
}

void StageStore::tie_row(const Route& route, const Value* args) {
  Index first = kNone;
  for (const auto& places : route.places) {
    const Index number = keys_.number({args + places[0], 1});
    ties_.admit(number, args[places[0]]);
    if (first == kNone) first = number;
    ties_.tie(first, number);
  }
}

std::vector<StageStore::Joining> StageStore::tie_keys(const Deliveries& deliveries) {
  if (!is_tied()) return {};
  const auto route_of = [&](Index table) {
    const Route* route = route_of_[table];
    return route != nullptr && !route->is_shared ? route : nullptr;
  };
  for (const Arrivals& some : deliveries.events) tie_events(some);
  for (const IntervalArrivals& some : deliveries.intervals) {
    const Route* route = route_of(some.table);
    for (std::size_t row = 0; route != nullptr && row < some.rows.size(); ++row) {
      const Value* cells = some.rows.row(row);
      if (!interval_head(cells).has(kIsRetraction)) tie_row(*route, cells + kIntervalRowHead);
    }
  }
  for (const EffectArrivals& some : deliveries.effects) {
    const Route* route = route_of(some.table);
    for (std::size_t row = 0; route != nullptr && row < some.rows.size(); ++row) {
      if (!some.is_retraction[row]) tie_row(*route, some.rows.row(row) + kEventHead);
    }
  }
  states_.resize(keys_.size());
  // In the order of roots, to be deterministic.
  std::map<Index, std::vector<Index>> by_root;
  for (const auto& [into, from] : ties_.take_joined()) {
    auto& slots = by_root[ties_.root(into)];
    for (const Index one : {into, from}) {
      if (has_state(one) && std::find(slots.begin(), slots.end(), one) == slots.end()) slots.push_back(one);
    }
    states_[from].is_forgotten = true;
  }
  std::vector<Joining> found;
  for (auto& [root, slots] : by_root) {
    if (slots.empty() || (slots.size() == 1 && slots[0] == root)) continue;
    found.push_back({root, std::move(slots)});
  }
  return found;
}

void StageStore::move_state(Index from, Index to) {
  states_[to] = std::move(states_[from]);
  states_[from] = KeyState{};
  if (states_[to].report != kNone) reports.set_slot(states_[to].report, to);
}

void StageStore::finish_joining(const Joining& joining, Index slot) {
  for (const Index other : joining.slots) {
    if (other == slot) continue;
    const Index report = states_[other].report;
    Index& known = states_[slot].report;
    if (report != kNone && known == kNone) {
      known = reports.add(slot);
    }
    if (report != kNone) {
      std::vector<Cause> causes;
      reports.for_causes(report, [&](Cause cause) { causes.push_back(cause); });
      for (const Cause cause : causes) reports.add_cause(known, cause);
    }
    states_[other] = KeyState{};
    states_[other].is_forgotten = true;
  }
  if (slot != joining.root) {
    move_state(slot, joining.root);
    states_[slot].is_forgotten = true;
  }
  std::vector<GroundPair> initial;
  for (const Index other : joining.slots) {
    const auto found = initial_.find(other);
    if (found == initial_.end()) continue;
    initial.insert(initial.end(), found->second.begin(), found->second.end());
    initial_.erase(found);
  }
  if (!initial.empty()) initial_[joining.root] = std::move(initial);
  states_[joining.root].is_forgotten = false;
  set_wake(joining.root, kNever);
}

// Splitting

// The parts of a group that nothing ties any more, computed from everything kept of the group.
class StageStore::GroupParts {
 public:
  GroupParts(StageStore& store, Index slot, const LogWidths& widths)
      : store_(store), slot_(slot), state_(store.states_[slot]), widths_(widths) {}

  // Whether there is more than one part, or a key that nothing mentions.
  [[nodiscard]] bool find();
  void part();

 private:
  Index add(Value key);
  Index root(Index number);
  void tie(Index one, Index other) {
    const Index from = root(one);
    const Index into = root(other);
    if (from == into) return;
    parent_[from] = into;
    ++joins_;
  }
  // Whether the rows examined so far tie all keys of the group, so that the rest does not matter.
  [[nodiscard]] bool is_whole() const { return keys_.size() == members_ && joins_ + 1 == members_; }
  void add_row(Index table, const Value* args);
  void add_results(const Results& results);
  [[nodiscard]] std::size_t part_of(Value key) { return part_of_[root(number_of_.at(key.word()))]; }
  [[nodiscard]] std::size_t part_of_row(Index table, const Value* args);
  template <typename Put>
  void for_results(const Results& results, const Put& put);
  void split_rows(std::vector<KeyState>& parts);
  void split_results(std::vector<KeyState>& parts);
  void split_reported(std::vector<KeyState>& parts);

  StageStore& store_;
  Index slot_;
  KeyState& state_;
  const LogWidths& widths_;
  std::unordered_map<std::uint64_t, Index> number_of_;  // by the word of a key
  std::vector<Value> keys_;
  std::vector<Index> parent_;
  std::vector<std::size_t> part_of_;  // by root
  std::size_t count_ = 0;
  std::size_t members_ = 0;  // keys of the group
  std::size_t joins_ = 0;
};

Index StageStore::GroupParts::add(Value key) {
  const auto [at, is_new] = number_of_.emplace(key.word(), static_cast<Index>(keys_.size()));
  if (is_new) {
    keys_.push_back(key);
    parent_.push_back(at->second);
  }
  return at->second;
}

Index StageStore::GroupParts::root(Index number) {
  while (parent_[number] != number) number = parent_[number] = parent_[parent_[number]];
  return number;
}

void StageStore::GroupParts::add_row(Index table, const Value* args) {
  Index first = kNone;
  for (const auto& places : store_.route_of_[table]->places) {
    const Index number = add(args[places[0]]);
    if (first == kNone) first = number;
    tie(first, number);
  }
}

// Calls `put` with each result and its key.
template <typename Put>
void StageStore::GroupParts::for_results(const Results& results, const Put& put) {
  for (std::size_t at = 0; at < results.size();) {
    const ResultHead head = result_head(&results[at]);
    put(&results[at], results[at + result_args(head.kind) + store_.key_places_[head.table][0]]);
    at += head.width;
  }
}

void StageStore::GroupParts::add_results(const Results& results) {
  for_results(results, [&](const Value*, Value key) {
    if (!key.is_wildcard()) add(key);
  });
}

bool StageStore::GroupParts::find() {
  store_.ties_.for_members(slot_, [&](Index) { ++members_; });
  const auto cells = state_.log.cells();
  for (std::size_t at = 0; at < cells.size(); at += widths_.of(&cells[at])) {
    add_row(RowHead::from(cells[at + 1]).table, &cells[at + kLogHead]);
    if (is_whole()) return false;
  }
  const auto& intervals = state_.intervals.cells();
  for (std::size_t at = 0; at < intervals.size(); at += interval_head(&intervals[at]).width) {
    add_row(interval_head(&intervals[at]).table, &intervals[at + kIntervalRowHead]);
    if (is_whole()) return false;
  }
  if (state_.effects) {
    for (const EffectLog::Entry& entry : state_.effects->entries()) {
      for (std::size_t row = 0; row < entry.rows.size(); ++row) add_row(entry.table, entry.rows.row(row) + kEventHead);
    }
  }
  add_results(state_.results);
  if (state_.unreported) add_results(*state_.unreported);
  for (std::size_t at = 0; at < state_.reported.size();) {
    const auto head = std::bit_cast<ReportedHead>(state_.reported[at].word());
    add(state_.reported[at + 2 + store_.key_places_[head.table][0]]);
    at += 2 + head.columns + head.count * kReportedWords;
  }
  for_keys_in(store_.prepared_, store_.number_, state_.base, [&](Value key) { add(key); });
  for (const GroundPair& pair : store_.initial(slot_)) add(pair.columns[store_.key_places_[pair.table][0]]);
  std::unordered_map<Index, Index> by_facts;
  for (Index number = 0; number < keys_.size(); ++number) {
    const Index group = store_.ties_.fact_group(keys_[number]);
    if (group != kNone) tie(by_facts.emplace(group, number).first->second, number);
  }
  part_of_.resize(keys_.size());
  for (Index number = 0; number < keys_.size(); ++number) {
    if (parent_[number] == number) part_of_[number] = count_++;
  }
  return count_ > 1 || (count_ == 1 && keys_.size() < members_);
}

std::size_t StageStore::GroupParts::part_of_row(Index table, const Value* args) {
  return part_of(args[store_.route_of_[table]->places[0][0]]);
}

void StageStore::GroupParts::split_rows(std::vector<KeyState>& parts) {
  std::vector<std::vector<Value>> logs(count_);
  std::vector<std::size_t> last(count_);
  const auto cells = state_.log.cells();
  for (std::size_t at = 0; at < cells.size();) {
    const std::size_t width = widths_.of(&cells[at]);
    const std::size_t part = part_of_row(RowHead::from(cells[at + 1]).table, &cells[at + kLogHead]);
    last[part] = logs[part].size();
    logs[part].insert(logs[part].end(), &cells[at], &cells[at] + width);
    at += width;
  }
  for (std::size_t part = 0; part < count_; ++part) parts[part].log.replace(0, 0, logs[part], last[part]);
  const auto& intervals = state_.intervals.cells();
  for (std::size_t at = 0; at < intervals.size();) {
    const IntervalHead head = interval_head(&intervals[at]);
    KeyState& into = parts[part_of_row(head.table, &intervals[at + kIntervalRowHead])];
    into.intervals.insert(std::span(intervals).subspan(at, head.width));
    into.interval_cells += head.width;
    at += head.width;
  }
  if (!state_.effects) return;
  for (const EffectLog::Entry& entry : state_.effects->entries()) {
    for (std::size_t row = 0; row < entry.rows.size(); ++row) {
      auto& into = parts[part_of_row(entry.table, entry.rows.row(row) + kEventHead)].effects;
      if (!into) into = std::make_unique<EffectLog>();
      into->insert(entry.table, entry.is_termination, {entry.rows.row(row), entry.rows.width});
    }
  }
}

void StageStore::GroupParts::split_results(std::vector<KeyState>& parts) {
  const auto put = [](Results& into, const Value* row) { into.insert(into.end(), row, row + result_head(row).width); };
  for_results(state_.results, [&](const Value* row, Value key) {
    if (!key.is_wildcard()) return put(parts[part_of(key)].results, row);
    for (KeyState& part : parts) put(part.results, row);
  });
  if (!state_.unreported) return;
  for_results(*state_.unreported, [&](const Value* row, Value key) {
    auto& into = parts[part_of(key)].unreported;
    if (!into) into = std::make_unique<Results>();
    put(*into, row);
  });
}

void StageStore::GroupParts::split_reported(std::vector<KeyState>& parts) {
  for (std::size_t at = 0; at < state_.reported.size();) {
    const auto head = std::bit_cast<ReportedHead>(state_.reported[at].word());
    const std::size_t width = 2 + head.columns + head.count * kReportedWords;
    auto& into = parts[part_of(state_.reported[at + 2 + store_.key_places_[head.table][0]])].reported;
    const auto from = state_.reported.begin() + static_cast<std::ptrdiff_t>(at);
    into.insert(into.end(), from, from + static_cast<std::ptrdiff_t>(width));
    at += width;
  }
}

void StageStore::GroupParts::part() {
  std::vector<KeyState> parts(count_);
  if (count_ == 1) {
    parts[0] = std::move(state_);
  } else {
    split_rows(parts);
    split_results(parts);
    split_reported(parts);
    if (state_.base.time != kNever) {
      std::vector<Checkpoint> bases = split_checkpoint(store_.prepared_, store_.number_, state_.base, count_,
                                                       [&](Value key) { return part_of(key); });
      for (std::size_t part = 0; part < count_; ++part) parts[part].base = std::move(bases[part]);
    }
    for (KeyState& part : parts) {
      part.wake = state_.wake;
      part.own_wake = state_.own_wake;
    }
  }
  std::vector<GroundPair> initial(store_.initial(slot_).begin(), store_.initial(slot_).end());
  store_.initial_.erase(slot_);
  state_.is_forgotten = false;
  store_.forget(slot_);
  std::vector<Index> slots(count_, kNone);
  for (const Value& key : keys_) {
    const Index own = store_.keys_.number({&key, 1});
    store_.states_.resize(store_.keys_.size());
    Index& slot = slots[part_of(key)];
    if (slot == kNone) slot = own;
    store_.ties_.assign(slot, own, key);
    store_.states_[own] = KeyState{};
    store_.states_[own].is_forgotten = true;
  }
  for (std::size_t part = 0; part < count_; ++part) {
    parts[part].is_forgotten = false;
    parts[part].may_fall_apart = false;
    store_.states_[slots[part]] = std::move(parts[part]);
    store_.set_wake(slots[part], store_.states_[slots[part]].wake);
  }
  for (GroundPair& pair : initial) {
    const std::size_t part = part_of(pair.columns[store_.key_places_[pair.table][0]]);
    store_.initial_[slots[part]].push_back(std::move(pair));
  }
}

void StageStore::part_group(Index slot, const LogWidths& widths) {
  if (!states_[slot].may_fall_apart || states_[slot].is_forgotten) return;
  states_[slot].may_fall_apart = false;
  // After the last query time, only results are left.
  if (ties_.is_alone(slot) || states_[slot].base.time == kNever) return;
  GroupParts parts(*this, slot, widths);
  if (parts.find()) parts.part();
}

}  // namespace holdsfor
