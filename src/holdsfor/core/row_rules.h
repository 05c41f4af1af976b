// Rules that begin with the events of their time-point, and so can run row by row.
#pragma once

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "log.h"
#include "packed_rules.h"
#include "plan.h"
#include "rule_groups.h"

namespace holdsfor {

inline constexpr Index kNone = UINT32_MAX;

struct Prepared;

// A value that is known from the row alone: an argument, a constant of the rule, or a value from facts about these.
struct Cell {
  enum From : std::uint32_t { kRow, kConstants, kFacts };
  From from = kConstants;
  std::uint32_t at = 0;
};

// A condition on what holds at the present time-point.
struct RowTest {
  Index table = 0;
  std::vector<Cell> columns;
  Cell value;
  bool takes_any_value = false;
  bool is_negated = false;
  bool is_of_phase = false;  // a simple fluent of the same phase: its instances know their current values
  // See Slots: the slot of the instance, and of the pair if the table is finished.
  Index slot = kNone;
  Index pair_slot = kNone;
};

// A lookup of facts about the row.
struct RowLookup {
  Index facts = 0;  // number of the fact table
  Index index = 0;  // number of its index
  std::vector<Cell> keys;
  std::vector<std::pair<Index, Index>> outputs;  // columns of the facts, and the positions for their values
};

struct RowRule {
  // Limit of values from lookups; a rule with more runs on the machine.
  static constexpr std::size_t kMostOutputs = 16;

  const Rule* rule = nullptr;
  // Copied from the rule.
  Index table = 0;
  HeadKind kind = HeadKind::kInitiate;
  // What remains of the rule (Rule::rest) are lookups of facts and tests of what holds, and its head builds no terms.
  // So it needs no registers.
  bool is_direct = false;
  // The row must pass conditions, including those of a pattern.
  bool has_conditions = false;
  // If the columns of the head are the same for all rows of a key: the slot of the instance, and for a constant value
  // the slot of the pair. See Slots.
  Index slot = kNone;
  Index pair_slot = kNone;
  Cell value;
  std::vector<Value> constants;
  std::vector<RowTest> tests;
  std::vector<RowLookup> lookups;
  std::vector<bool> is_lookup;  // of lookups and tests, in rule order; empty without lookups
  std::vector<Cell> columns;
  // The registers that get arguments of the row, by argument.
  std::vector<std::pair<Index, Index>> registers;
  // The positions in the row of the key of the head, and the parts of the key.
  std::vector<std::pair<Index, Index>> key;
  std::vector<Index> key_places;  // positions of the key in the row, if known
  bool has_pattern = false;       // rows must match a pattern
  bool binds_inside = false;      // the pattern binds registers inside terms
};

// Rules at consecutive positions.
struct RowGroup {
  RuleGroup group;
  std::uint64_t positions = 0;
};

// The rules of a phase for the rows of one table.
struct RowRules {
  // Rules have positions in a word: rules with a Rule::row_bit at that bit, the first of the other rules behind.
  static constexpr std::size_t kOthers = 32;
  static constexpr std::size_t kPositions = 64;

  Index table = 0;
  std::vector<RowRule> by_bit;  // by Rule::row_bit; entries of other phases have no rule
  Passes mask = 0;
  std::vector<RowRule> others;  // rules without a bit
  std::uint64_t other_bits = 0;
  // By position: rules of packed and mirrored tables. `is_packed`: all rules are of these kinds.
  std::vector<PackedRule> packed;
  std::uint64_t packed_bits = 0;
  std::uint64_t mirrored_bits = 0;
  bool is_packed = false;
  // Rules with a common beginning, and their positions.
  std::vector<RowGroup> groups;
  std::uint64_t grouped_bits = 0;
  std::uint64_t bit = 0;     // of the table among the sources of the phase
  std::size_t width = 0;     // of its rows in the log
  bool is_from_log = false;  // otherwise rows come from a table
  bool has_rules = false;
  bool drives_others = false;  // rules that do not run row by row are triggered by its rows
  bool is_empty = true;        // no rule needs its rows in the log

  [[nodiscard]] const RowRule& at(std::size_t position) const {
    return position < kOthers ? by_bit[position] : others[position - kOthers];
  }
};

// Assigns slots to the instances and pairs that rules name by constants and key columns. Each is looked up once for a
// key.
class Slots {
 public:
  // A column: a constant, or the column of the key with this number.
  using Column = std::pair<Index, std::uint64_t>;
  using Columns = std::vector<Column>;

  Index instance(Index table, Columns columns) { return number(instances_, {table, std::move(columns)}); }
  Index pair(Index instance, Value value) { return number(pairs_, {instance, value.word()}); }
  [[nodiscard]] std::size_t instances() const { return instances_.size(); }
  [[nodiscard]] std::size_t pairs() const { return pairs_.size(); }

 private:
  template <typename Key>
  static Index number(std::map<Key, Index>& known, Key key) {
    return known.emplace(std::move(key), static_cast<Index>(known.size())).first->second;
  }

  std::map<std::pair<Index, Columns>, Index> instances_;
  std::map<std::pair<Index, std::uint64_t>, Index> pairs_;
};

// Groups rules with a common beginning.
void group_row_rules(RowRules& rules);

// Creates a rule of a phase. `key_places`: the positions of the key in the rows of its events, if known. `head_places`:
// the positions of the key in the columns of its head.
RowRule make_row_rule(const Prepared& prepared, const Rule& rule, const std::vector<Index>& phase_tables,
                      const std::vector<Index>& key_places, const std::vector<Index>& head_places, Slots& slots);

}  // namespace holdsfor
