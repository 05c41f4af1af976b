// Tied keys: groups of keys that are evaluated as one key. Rows with several keys tie them, and so do facts.
#pragma once

#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "key_numbers.h"
#include "plan.h"
#include "tables.h"

namespace holdsfor {

// Groups of key numbers (union-find). The number of one key, the root, identifies a group. A key without ties is a
// group of its own.
class KeyTies {
 public:
  explicit KeyTies(const Stage& stage);

  // Whether rows can tie keys at all. If not, every key is its own root.
  [[nodiscard]] bool is_needed() const { return is_needed_; }
  [[nodiscard]] bool has_facts() const { return !fact_group_of_.empty(); }

  [[nodiscard]] Index root(Index number) const {
    while (number < parent_.size() && parent_[number] != number && parent_[number] != kNone) number = parent_[number];
    return number;
  }
  // The root of the group of a key, even if the key has no number. kNone if the key is unknown.
  [[nodiscard]] Index root_of(Value key, const KeyNumbers& keys) const;

  // Adds a key that has got a number. Facts may tie it to others.
  void admit(Index number, Value key);
  void tie(Index one, Index other);
  // Adds a new key to a group.
  void assign(Index root, Index number, Value key);
  // Pairs of roots joined since the last call, in order; the first of a pair is the remaining root.
  [[nodiscard]] std::vector<std::pair<Index, Index>> take_joined();

  // Calls `visit` with each key of a group.
  template <typename Visit>
  void for_members(Index root, const Visit& visit) const {
    if (root >= next_.size() || parent_[root] == kNone) {
      visit(root);
      return;
    }
    Index number = root;
    do {
      const Index next = next_[number];
      visit(number);
      number = next;
    } while (number != root);
  }
  [[nodiscard]] bool is_alone(Index root) const {
    return root >= next_.size() || parent_[root] == kNone || next_[root] == root;
  }
  // Forgets the keys of a group and their ties.
  void forget(Index root);
  // The group of a key by facts; kNone if no facts tie it.
  [[nodiscard]] Index fact_group(Value key) const;

 private:
  void make_room(Index number);
  void begin(Index number);
  // Records that a key has a number. Returns another key of its group of facts, or kNone.
  Index note_facts(Index number, Value key);
  [[nodiscard]] Index shortened_root(Index number);

  bool is_needed_;
  std::vector<Index> parent_;        // by number; kNone: unknown key
  std::vector<Index> next_;          // ring of the keys of a group
  std::vector<std::uint32_t> size_;  // of groups, by root
  std::vector<std::pair<Index, Index>> joined_;
  std::unordered_map<std::uint64_t, Index> fact_group_of_;  // by the word of a key
  std::vector<std::vector<Index>> numbers_of_;              // by group of facts: the keys that have a number
  std::vector<Index> group_of_number_;                      // group of facts by number; kNone: no facts tie the key
};

}  // namespace holdsfor
