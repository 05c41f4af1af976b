// Groups of rules whose programs begin alike. The common beginning is solved once for all rules.
#pragma once

#include <cstdint>
#include <vector>

#include "plan.h"

namespace holdsfor {

// Consecutive rules. A rule that shares no beginning is alone in its group.
struct RuleGroup {
  // Limit of rules in a group; a sweep has a buffer for the heads of each.
  static constexpr std::size_t kMostRules = 8;

  std::vector<const Rule*> rules;
  Program beginning;
  std::vector<Block> rests;  // the remaining block of each rule

  [[nodiscard]] bool is_alone() const { return rules.size() == 1; }
};

// The number of leading instructions that two blocks share and that report nothing about their rule.
std::size_t common_beginning(const Block& one, const Block& other);

// Groups rules by their blocks: the whole program of a rule, or its remaining block for a row. `may_share` tells
// whether a rule may share with the previous one.
template <typename Blocks, typename MayShare>
std::vector<RuleGroup> group_rules(const std::vector<const Rule*>& rules, const Blocks& block_of,
                                   const MayShare& may_share) {
  std::vector<RuleGroup> groups;
  std::size_t common = 0;
  std::size_t first = 0;
  const auto end_group = [&](std::size_t last) {
    if (last == first) return;
    RuleGroup& made = groups.emplace_back();
    made.rules.assign(rules.begin() + static_cast<std::ptrdiff_t>(first),
                      rules.begin() + static_cast<std::ptrdiff_t>(last));
    if (made.is_alone()) return;
    for (std::size_t i = first; i < last; ++i) {
      const Block& block = block_of(i);
      const auto rest = block.begin() + static_cast<std::ptrdiff_t>(common);
      if (i == first) made.beginning.block.assign(block.begin(), rest);
      made.rests.emplace_back(rest, block.end());
      made.beginning.lists = std::max(made.beginning.lists, rules[i]->program.lists);
    }
  };
  for (std::size_t i = 0; i < rules.size(); ++i) {
    if (i > first && i - first < RuleGroup::kMostRules && may_share(i)) {
      std::size_t shared = common_beginning(block_of(first), block_of(i));
      if (i > first + 1) shared = std::min(shared, common);
      // A shorter common beginning would take instructions from the group, so the rule starts a new group.
      if (shared > 0 && (i == first + 1 || shared == common)) {
        common = shared;
        continue;
      }
    }
    end_group(i);
    first = i;
  }
  end_group(rules.size());
  return groups;
}

}  // namespace holdsfor
