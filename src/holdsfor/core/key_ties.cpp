#include "key_ties.h"

#include <algorithm>

namespace holdsfor {

KeyTies::KeyTies(const Stage& stage) : is_needed_(stage.is_tied) {
  // Several fact tables may tie the same keys, so join their groups first.
  std::vector<std::vector<Value>> groups;
  std::unordered_map<std::uint64_t, Index> group_of;
  for (const auto& tied : stage.fact_ties) {
    const auto into = static_cast<Index>(groups.size());
    groups.emplace_back();
    for (const Value value : tied) {
      const auto [at, is_new] = group_of.emplace(value.word(), into);
      if (is_new) {
        groups[into].push_back(value);
      } else if (at->second != into) {
        const Index other = at->second;
        for (const Value known : groups[other]) {
          group_of[known.word()] = into;
          groups[into].push_back(known);
        }
        groups[other].clear();
      }
    }
  }
  fact_group_of_ = std::move(group_of);
  numbers_of_.resize(groups.size());
}

Index KeyTies::fact_group(Value key) const {
  const auto found = fact_group_of_.find(key.word());
  return found == fact_group_of_.end() ? kNone : found->second;
}

Index KeyTies::root_of(Value key, const KeyNumbers& keys) const {
  const Index number = keys.find({&key, 1});
  if (number != kNone) return root(number);
  const Index group = fact_group(key);
  return group == kNone || numbers_of_[group].empty() ? kNone : root(numbers_of_[group].front());
}

void KeyTies::make_room(Index number) {
  if (number < parent_.size()) return;
  parent_.resize(number + std::size_t{1}, kNone);
  next_.resize(parent_.size(), kNone);
  size_.resize(parent_.size(), 0);
  group_of_number_.resize(parent_.size(), kNone);
}

void KeyTies::begin(Index number) {
  parent_[number] = next_[number] = number;
  size_[number] = 1;
}

Index KeyTies::note_facts(Index number, Value key) {
  const Index group = fact_group(key);
  if (group == kNone) return kNone;
  auto& numbers = numbers_of_[group];
  if (group_of_number_[number] == kNone) {
    group_of_number_[number] = group;
    numbers.push_back(number);
  }
  return numbers.front();
}

void KeyTies::admit(Index number, Value key) {
  make_room(number);
  if (parent_[number] != kNone) return;
  begin(number);
  const Index other = note_facts(number, key);
  if (other != kNone) tie(number, other);
}

Index KeyTies::shortened_root(Index number) {
  while (parent_[number] != number) number = parent_[number] = parent_[parent_[number]];
  return number;
}

void KeyTies::tie(Index one, Index other) {
  Index into = shortened_root(one);
  Index from = shortened_root(other);
  if (into == from) return;
  if (size_[into] < size_[from]) std::swap(into, from);
  parent_[from] = into;
  size_[into] += size_[from];
  std::swap(next_[into], next_[from]);
  joined_.emplace_back(into, from);
}

void KeyTies::assign(Index root, Index number, Value key) {
  make_room(std::max(root, number));
  for (const Index one : {root, number}) {
    if (parent_[one] == kNone) begin(one);
  }
  static_cast<void>(note_facts(number, key));
  if (root == number) return;
  parent_[number] = root;
  ++size_[root];
  std::swap(next_[root], next_[number]);
}

std::vector<std::pair<Index, Index>> KeyTies::take_joined() { return std::exchange(joined_, {}); }

void KeyTies::forget(Index root) {
  std::vector<Index> members;
  for_members(root, [&](Index number) { members.push_back(number); });
  for (const Index number : members) {
    if (number >= parent_.size()) continue;
    parent_[number] = next_[number] = kNone;
    size_[number] = 0;
    const Index group = std::exchange(group_of_number_[number], kNone);
    if (group != kNone) std::erase(numbers_of_[group], number);
  }
}

}  // namespace holdsfor
