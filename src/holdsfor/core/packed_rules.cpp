#include "packed_rules.h"

#include <algorithm>
#include <bit>

#include "prepared.h"

namespace holdsfor {
namespace {

constexpr std::size_t kMostPairs = 64;

class Packer {
 public:
  Packer(const Prepared& prepared, Index stage, Phase& phase)
      : prepared_(prepared), stage_(prepared.plan.stages[stage]), phase_(phase) {}

  void run() {
    phase_.is_packed.assign(prepared_.plan.tables.size(), false);
    if (stage_.is_tied) return;
    for (const Index table : phase_.tables) phase_.is_packed[table] = can_have_bits(table);
    for (const Index number : phase_.other_rules) phase_.is_packed[phase_.rules[number]->table] = false;
    for_rules([&](RowRules&, const RowRule& rule, std::size_t position) {
      if (phase_.is_packed[rule.table] && !can_pack(rule, position)) phase_.is_packed[rule.table] = false;
    });
    for_rules([&](RowRules&, const RowRule& rule, std::size_t) {
      if (phase_.is_packed[rule.table] && !is_like_others(rule)) phase_.is_packed[rule.table] = false;
    });
    for (const Index table : phase_.tables) {
      if (phase_.is_packed[table]) give_bits(table);
    }
    for_rules([&](RowRules& rules, const RowRule& rule, std::size_t position) {
      if (phase_.is_packed[rule.table]) add(rules, rule, position);
    });
  }

 private:
  template <typename Visit>
  void for_rules(const Visit& visit) {
    for (RowRules& rules : phase_.row_rules) {
      for (std::size_t bit = 0; bit < rules.by_bit.size(); ++bit) {
        if (rules.by_bit[bit].rule != nullptr) visit(rules, rules.by_bit[bit], bit);
      }
      for (std::size_t i = 0; i < rules.others.size(); ++i) visit(rules, rules.others[i], RowRules::kOthers + i);
    }
  }

  // Delayed effects need to know when a pair was last initiated, and readers of effects what was.
  [[nodiscard]] bool can_have_bits(Index table) const {
    if (prepared_.plan.tables[table].role != Role::kSimpleFluent || prepared_.has_effect_readers[table]) return false;
    const auto is_about = [&](const Delay& delay) {
      return delay.trigger.table == table || (delay.effect && delay.effect->table == table);
    };
    return std::none_of(prepared_.components.begin(), prepared_.components.end(), [&](const PreparedComponent& one) {
      const auto& delays = one.component->delays;
      return std::any_of(delays.begin(), delays.end(), is_about);
    });
  }

  [[nodiscard]] bool can_pack(const RowRule& rule, std::size_t position) const {
    const bool is_decided = position < RowRules::kOthers || !rule.has_conditions;
    if (!rule.is_direct || !rule.lookups.empty() || position >= RowRules::kPositions || !is_decided) return false;
    if (rule.value.from != Cell::kConstants) return false;
    if (rule.kind == HeadKind::kInitiate) return rule.pair_slot != kNone && is_of_key(rule);
    return std::all_of(rule.columns.begin(), rule.columns.end(),
                       [&](Cell one) { return one.from == Cell::kConstants || part_of(rule, one) != kNone; });
  }

  // The part of the key that an argument of the row is.
  [[nodiscard]] static Index part_of(const RowRule& rule, Cell cell) {
    if (cell.from != Cell::kRow) return kNone;
    const auto at = std::find(rule.key_places.begin(), rule.key_places.end(), cell.at);
    return at == rule.key_places.end() ? kNone : static_cast<Index>(at - rule.key_places.begin());
  }

  // Whether what it initiates always belongs to the key.
  [[nodiscard]] bool is_of_key(const RowRule& rule) const {
    const auto member = std::find_if(stage_.members.begin(), stage_.members.end(),
                                     [&](const Route& one) { return one.table == rule.table; });
    const auto& places = member->places[0];
    for (Index part = 0; part < places.size(); ++part) {
      if (part_of(rule, rule.columns[places[part]]) != part) return false;
    }
    return true;
  }

  // Whether columns are constants and parts of the key where those of other rules of the table are: else it depends on
  // the key which of them are the same.
  [[nodiscard]] bool is_like_others(const RowRule& rule) {
    bool is_like = true;
    const Slots::Columns own = pattern(rule, rule.columns);
    for_rules([&](RowRules&, const RowRule& other, std::size_t) {
      if (other.table == rule.table && other.kind == HeadKind::kInitiate) {
        is_like = is_like && is_like_pattern(own, pattern(other, other.columns));
      }
    });
    return is_like;
  }

  [[nodiscard]] static bool is_wildcard(const std::pair<Index, std::uint64_t>& column) {
    return column.first == kNone && column.second == Value::wildcard().word();
  }

  [[nodiscard]] static bool is_like_pattern(const Slots::Columns& own, const Slots::Columns& other) {
    for (std::size_t i = 0; i < own.size(); ++i) {
      if (own[i].first != other[i].first && !is_wildcard(own[i])) return false;
    }
    return true;
  }

  // A bit for each pair that rules initiate. A table with too many of them is not packed.
  void give_bits(Index table) {
    const std::size_t known = phase_.packed.size();
    for_rules([&](const RowRules&, const RowRule& rule, std::size_t) {
      if (rule.table != table || rule.kind != HeadKind::kInitiate) return;
      PackedPair pair{.table = table, .columns = pattern(rule, rule.columns), .value = value_of(rule)};
      const auto is_same = [&](const PackedPair& one) {
        return one.table == table && one.columns == pair.columns && one.value == pair.value;
      };
      if (std::none_of(phase_.packed.begin(), phase_.packed.end(), is_same)) phase_.packed.push_back(std::move(pair));
    });
    if (phase_.packed.size() > kMostPairs) {
      phase_.packed.resize(known);
      phase_.is_packed[table] = false;
      return;
    }
    for (std::size_t one = known; one < phase_.packed.size(); ++one) {
      for (std::size_t other = known; other < phase_.packed.size(); ++other) {
        if (one != other && phase_.packed[one].columns == phase_.packed[other].columns) {
          phase_.packed[one].rivals |= PairBits{1} << other;
        }
      }
    }
  }

  [[nodiscard]] static Value value_of(const RowRule& rule) { return rule.constants[rule.value.at]; }

  [[nodiscard]] static Slots::Columns pattern(const RowRule& rule, const std::vector<Cell>& columns) {
    Slots::Columns found;
    for (const Cell one : columns) {
      const Index part = part_of(rule, one);
      found.emplace_back(part, part == kNone ? rule.constants[one.at].word() : 0);
    }
    return found;
  }

  // The pairs of a table that columns and a value may stand for.
  [[nodiscard]] PairBits bits_of(Index table, const Slots::Columns& columns, Value value) const {
    PairBits found = 0;
    for (std::size_t bit = 0; bit < phase_.packed.size(); ++bit) {
      const PackedPair& pair = phase_.packed[bit];
      if (pair.table != table || (pair.value != value && !value.is_wildcard())) continue;
      bool is_same = true;
      for (std::size_t i = 0; i < columns.size(); ++i) {
        is_same = is_same && (is_wildcard(columns[i]) || columns[i] == pair.columns[i]);
      }
      if (is_same) found |= PairBits{1} << bit;
    }
    return found;
  }

  void add(RowRules& rules, const RowRule& rule, std::size_t position) const {
    if (rules.packed.size() <= position) rules.packed.resize(position + 1);
    PackedRule& made = rules.packed[position];
    rules.packed_bits |= std::uint64_t{1} << position;
    const PairBits bits = bits_of(rule.table, pattern(rule, rule.columns), value_of(rule));
    (rule.kind == HeadKind::kInitiate ? made.initiates : made.ends) = bits;
    for (const RowTest& test : rule.tests) add_test(made, rule, test);
  }

  void add_test(PackedRule& made, const RowRule& rule, const RowTest& test) const {
    const auto is_known = [&](Cell one) { return one.from == Cell::kConstants || part_of(rule, one) != kNone; };
    const bool is_packed = phase_.is_packed[test.table] &&
                           std::all_of(test.columns.begin(), test.columns.end(), is_known) &&
                           (test.takes_any_value || test.value.from == Cell::kConstants);
    const Slots::Columns columns = is_packed ? pattern(rule, test.columns) : Slots::Columns{};
    const bool is_like = is_packed && std::all_of(phase_.packed.begin(), phase_.packed.end(), [&](const PackedPair& one) {
                           return one.table != test.table || is_like_pattern(columns, one.columns);
                         });
    if (!is_like) {
      made.has_more = true;
      return;
    }
    const PairBits bits = bits_of(test.table, columns,
                                  test.takes_any_value ? Value::wildcard() : rule.constants[test.value.at]);
    // One of several pairs, or one that never holds, or one that another test asks about.
    if ((!test.is_negated && std::popcount(bits) != 1) || (made.asks & bits) != 0) {
      made.has_more = true;
      return;
    }
    made.asks |= bits;
    if (!test.is_negated) made.wants |= bits;
  }

  const Prepared& prepared_;
  const Stage& stage_;
  Phase& phase_;
};

}  // namespace

bool matches(const PackedPair& pair, std::span<const Value> columns, Value value, std::span<const Value> key) {
  if (value != pair.value && !value.is_wildcard()) return false;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto& [part, word] = pair.columns[i];
    if (columns[i].word() != (part == kNone ? word : key[part].word()) && !columns[i].is_wildcard()) return false;
  }
  return true;
}

void pack_rules(const Prepared& prepared, Index stage, Phase& phase) { Packer(prepared, stage, phase).run(); }

}  // namespace holdsfor
