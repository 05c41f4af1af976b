// Rules whose programs begin alike: the beginning is solved once for all of them.
#pragma once

#include <cstdint>
#include <vector>

#include "plan.h"

namespace holdsfor {

// Rules that follow each other. One that begins like no other is alone.
struct RuleGroup {
  static constexpr std::size_t kMostRules = 8;

  std::vector<const Rule*> rules;
  Program beginning;
  std::vector<Block> rests;  // what is left of each rule

  [[nodiscard]] bool is_alone() const { return rules.size() == 1; }
};

// How many instructions two blocks begin with that are the same, and would not report anything about their rules.
std::size_t common_beginning(const Block& one, const Block& other);

// Groups rules by their blocks, each the whole program of its rule or what is left of that for a row. `may_share` says
// whether a rule may share with the one before it.
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
      // Rules that have less in common than those before would take something from these.
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
