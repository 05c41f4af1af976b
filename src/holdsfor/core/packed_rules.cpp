#include "packed_rules.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "prepared.h"

namespace holdsfor {
namespace {

// The bits of PairBits.
constexpr std::size_t kMostPairs = 64;

using Columns = std::vector<std::pair<Index, std::uint64_t>>;

class Packer {
 public:
  Packer(const Prepared& prepared, Index stage, Phase& phase)
      : prepared_(prepared), stage_(prepared.plan.stages[stage]), phase_(phase) {}

  void run() {
    phase_.packing.assign(prepared_.plan.tables.size(), Packing::kNone);
    phase_.bits_of.assign(prepared_.plan.tables.size(), 0);
    if (stage_.is_tied) return;
    for (const Index table : phase_.tables) {
      if (prepared_.plan.tables[table].role != Role::kSimpleFluent || prepared_.has_effect_readers[table]) continue;
      if (give_bits(table)) phase_.packing[table] = has_delays(table) ? Packing::kMirrored : Packing::kPacked;
    }
    for (RowRules& rules : phase_.row_rules) {
      for (std::size_t bit = 0; bit < rules.by_bit.size(); ++bit) {
        if (rules.by_bit[bit].rule != nullptr) pack(rules, rules.by_bit[bit], bit);
      }
      for (std::size_t i = 0; i < rules.others.size(); ++i) {
        if (!rules.others[i].has_conditions) pack(rules, rules.others[i], RowRules::kOthers + i);
      }
    }
  }

 private:
  template <typename Visit>
  void for_delays(const Visit& visit) const {
    for (const PreparedComponent& one : prepared_.components) {
      for (const Delay& delay : one.component->delays) visit(delay);
    }
  }

  // Delayed effects need the time of the last initiation of a pair.
  [[nodiscard]] bool has_delays(Index table) const {
    bool found = false;
    for_delays([&](const Delay& delay) {
      found = found || delay.trigger.table == table || (delay.effect && delay.effect->table == table);
    });
    return found;
  }

  // Assigns a bit to each pair that rules initiate. False if the pairs depend on rows, or if there are too many.
  [[nodiscard]] bool give_bits(Index table) {
    std::vector<PackedPair> pairs;
    bool are_known = true;
    const auto add = [&](const std::vector<Shape>& shapes, const Shape& value) {
      auto columns = columns_of(table, shapes);
      are_known = are_known && columns && value.kind == ShapeKind::kConstant;
      if (!are_known) return;
      const auto is_same = [&](const PackedPair& one) {
        return one.columns == *columns && one.value == value.constant;
      };
      if (std::any_of(pairs.begin(), pairs.end(), is_same)) return;
      pairs.push_back({.table = table, .columns = std::move(*columns), .value = value.constant});
    };
    for (const Rule* rule : phase_.rules) {
      if (rule->table == table && rule->kind == HeadKind::kInitiate) add(rule->columns, rule->value);
    }
    for_delays([&](const Delay& delay) {
      if (delay.effect && delay.effect->table == table) add(delay.effect->columns, delay.effect->value);
    });
    if (!are_known) return false;
    const std::size_t known = phase_.packed.size();
    if (known + pairs.size() > kMostPairs) return false;
    for (PackedPair& one : pairs) {
      for (std::size_t other = 0; other < pairs.size(); ++other) {
        if (&one != &pairs[other] && one.columns == pairs[other].columns) one.rivals |= PairBits{1} << (known + other);
      }
    }
    for (std::size_t bit = known; bit < known + pairs.size(); ++bit) phase_.bits_of[table] |= PairBits{1} << bit;
    phase_.packed.insert(phase_.packed.end(), pairs.begin(), pairs.end());
    return true;
  }

  // The columns that a rule initiates for a key: parts of the key, otherwise constants. Nothing if they depend on the
  // row.
  [[nodiscard]] std::optional<Columns> columns_of(Index table, const std::vector<Shape>& shapes) const {
    Columns found;
    for (Index place = 0; place < shapes.size(); ++place) {
      const Shape& shape = shapes[place];
      const Index part = part_at(table, place);
      if (shape.kind != (part == kNone ? ShapeKind::kConstant : ShapeKind::kRegister)) return std::nullopt;
      found.emplace_back(part, part == kNone ? shape.constant.word() : 0);
    }
    return found;
  }

  // The part of the key at a column of a table of the stage.
  [[nodiscard]] Index part_at(Index table, Index place) const {
    for (const Route& member : stage_.members) {
      if (member.table != table) continue;
      const auto& places = member.places[0];
      const auto at = std::find(places.begin(), places.end(), place);
      return at == places.end() ? kNone : static_cast<Index>(at - places.begin());
    }
    return kNone;
  }

  // The pairs that cells of a row and of a rule match. Nothing if that depends on the row.
  [[nodiscard]] std::optional<PairBits> bits_of(const RowRule& rule, Index table, const std::vector<Cell>& columns,
                                                std::optional<Cell> value) const {
    if (value && value->from != Cell::kConstants) return std::nullopt;
    std::vector<std::optional<std::uint64_t>> wanted;  // of columns outside the key; none: any value
    for (Index place = 0; place < columns.size(); ++place) {
      const Cell one = columns[place];
      const Index part = part_at(table, place);
      const bool is_constant = one.from == Cell::kConstants;
      const bool is_any = is_constant && rule.constants[one.at].is_wildcard();
      const bool is_part = one.from == Cell::kRow && part < rule.key_places.size() && rule.key_places[part] == one.at;
      if (!(is_any || (part == kNone ? is_constant : is_part))) return std::nullopt;
      wanted.push_back(is_any || is_part ? std::nullopt : std::optional(rule.constants[one.at].word()));
    }
    PairBits found = 0;
    for (std::size_t bit = 0; bit < phase_.packed.size(); ++bit) {
      const PackedPair& pair = phase_.packed[bit];
      bool is_meant = pair.table == table;
      if (value && !rule.constants[value->at].is_wildcard())
        is_meant = is_meant && pair.value == rule.constants[value->at];
      for (std::size_t i = 0; i < wanted.size() && is_meant; ++i) {
        is_meant = !wanted[i] || pair.columns[i].second == *wanted[i];
      }
      if (is_meant) found |= PairBits{1} << bit;
    }
    return found;
  }

  void pack(RowRules& rules, const RowRule& rule, std::size_t position) const {
    const Packing packing = phase_.packing[rule.table];
    if (packing == Packing::kNone || !rule.is_direct || !rule.lookups.empty() || position >= RowRules::kPositions) {
      return;
    }
    const auto bits = bits_of(rule, rule.table, rule.columns, rule.value);
    if (!bits) return;
    if (rules.packed.size() <= position) rules.packed.resize(position + 1);
    PackedRule& made = rules.packed[position];
    made.is_mirrored = packing == Packing::kMirrored;
    (made.is_mirrored ? rules.mirrored_bits : rules.packed_bits) |= std::uint64_t{1} << position;
    (rule.kind == HeadKind::kInitiate ? made.initiates : made.ends) = *bits;
    for (const RowTest& test : rule.tests) {
      const auto asked =
          phase_.packing[test.table] != Packing::kNone
              ? bits_of(rule, test.table, test.columns, test.takes_any_value ? std::nullopt : std::optional(test.value))
              : std::nullopt;
      // The test concerns other tables, requires one of several pairs, or repeats a pair of another test.
      if (!asked || (!test.is_negated && std::popcount(*asked) != 1) || (made.asks & *asked) != 0) {
        made.has_more = true;
        continue;
      }
      made.asks |= *asked;
      if (!test.is_negated) made.wants |= *asked;
    }
  }

  const Prepared& prepared_;
  const Stage& stage_;
  Phase& phase_;
};

}  // namespace

bool matches(const PackedPair& pair, std::span<const Value> columns, Value value, std::span<const Value> key,
             const TermTable& terms) {
  const auto is_meant = [&](Value wanted, Value known) { return wanted == known || terms.unifies(wanted, known); };
  if (!is_meant(value, pair.value)) return false;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const auto& [part, word] = pair.columns[i];
    if (!is_meant(columns[i], part == kNone ? Value::from_word(word) : key[part])) return false;
  }
  return true;
}

void pack_rules(const Prepared& prepared, Index stage, Phase& phase) { Packer(prepared, stage, phase).run(); }

}  // namespace holdsfor
