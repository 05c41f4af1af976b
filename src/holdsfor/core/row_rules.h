// Rules that begin with the events of their time-point, so that they can run for one row after the other.
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

// A value that is known as soon as there is a row: an argument of it, a constant of the rule, or what facts say of
// those.
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
  bool is_of_phase = false;  // a simple fluent of the same phase: its instances know their values
  // See Slots: of the instance, and of the pair if the table is finished.
  Index slot = kNone;
  Index pair_slot = kNone;
};

// Facts about the row.
struct RowLookup {
  Index facts = 0;  // the number of their table
  Index index = 0;  // and of its index
  std::vector<Cell> keys;
  std::vector<std::pair<Index, Index>> outputs;  // columns of the facts, and where their values go
};

struct RowRule {
  static constexpr std::size_t kMostOutputs = 16;

  const Rule* rule = nullptr;
  // Of the rule.
  Index table = 0;
  HeadKind kind = HeadKind::kInitiate;
  // What is left of the rule (Rule::rest) are lookups of facts and tests of what holds, and its head has nothing to
  // build: it needs no registers.
  bool is_direct = false;
  // The row must pass conditions, those of a pattern included.
  bool has_conditions = false;
  // If the columns of the head are the same for all rows of a key: where their instance is noted; and for a constant
  // value, the pair. See Slots.
  Index slot = kNone;
  Index pair_slot = kNone;
  Cell value;
  std::vector<Value> constants;
  std::vector<RowTest> tests;
  std::vector<RowLookup> lookups;
  std::vector<bool> is_lookup;  // of lookups and tests, in the order of the rule; empty if it has no lookups
  std::vector<Cell> columns;
  // The registers that get the arguments of a row, by place.
  std::vector<std::pair<Index, Index>> registers;
  // Places of a row where the key of its head stands, and the parts of the key.
  std::vector<std::pair<Index, Index>> key;
  std::vector<Index> key_places;  // where the key stands in the row, if it is known
  bool has_pattern = false;       // rows must match one
  bool binds_inside = false;      // in which there are terms that give registers their values
};

// Rules at positions that follow each other.
struct RowGroup {
  RuleGroup group;
  std::uint64_t positions = 0;
};

// The rules of a phase for the rows of one table.
struct RowRules {
  // Rules have positions in a word: those with a Rule::row_bit that, and the first of the others those behind.
  static constexpr std::size_t kOthers = 32;
  static constexpr std::size_t kPositions = 64;

  Index table = 0;
  std::vector<RowRule> by_bit;  // by Rule::row_bit; those of other phases have no rule
  Passes mask = 0;
  std::vector<RowRule> others;  // rules without a bit
  std::uint64_t other_bits = 0;
  // By position: rules of packed and of mirrored tables. If all rules are such, rows need nothing else.
  std::vector<PackedRule> packed;
  std::uint64_t packed_bits = 0;
  std::uint64_t mirrored_bits = 0;
  bool is_packed = false;
  // Rules that begin alike, and their positions.
  std::vector<RowGroup> groups;
  std::uint64_t grouped_bits = 0;
  std::uint64_t bit = 0;     // of the table among the sources of the phase
  std::size_t width = 0;     // of its rows in the log
  bool is_from_log = false;  // else rows come from a table
  bool has_rules = false;
  bool drives_others = false;  // rules that do not run row by row run for its rows
  bool is_empty = true;        // its rows in the log are of no interest

  [[nodiscard]] const RowRule& at(std::size_t position) const {
    return position < kOthers ? by_bit[position] : others[position - kOthers];
  }
};

// Numbers the instances and pairs that rules name by constants and by columns of the key: for one key each is found
// once.
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

// Finds rules that begin alike.
void group_row_rules(RowRules& rules);

// A rule of a phase. `key_places` is where the key stands in the rows of its events, if it is known; `head_places` is
// where it stands in what its head is about.
RowRule make_row_rule(const Prepared& prepared, const Rule& rule, const std::vector<Index>& phase_tables,
                      const std::vector<Index>& key_places, const std::vector<Index>& head_places, Slots& slots);

}  // namespace holdsfor
