// Processes the rows of packed tables: rules test and set bits, and then tables are updated.
#include <algorithm>
#include <bit>

#include "rows.h"
#include "sweep.h"

namespace holdsfor {

// All pairs of a packed table have bits, unless something holds that no rule initiates: by `initially`, or by earlier
// rules and facts. Such a key is evaluated without bits.
void Sweep::begin_packed() {
  uses_bits_ = !phase_->packed.empty();
  if (!uses_bits_) return;
  holding_bits_ = initiated_bits_ = ended_bits_ = 0;
  declared_bits_ = ~PairBits{0};
  bit_pairs_.assign(phase_->packed.size(), kNone);
  for (const GroundPair& pair : request_.initial) {
    if (has_bits(pair.table) && packed_bits(pair.table, pair.columns, pair.value) == 0) uses_bits_ = false;
  }
}

// Sets the bits of a table from its content, which a checkpoint supplied.
void Sweep::set_packed(Index table) {
  FluentTable& fluent = world_.fluents[table];
  for (Index number = 0; number < fluent.pair_count; ++number) {
    const Pair& pair = fluent.pairs[number];
    const PairBits bit = bit_of(table, fluent, number);
    const bool holds = fluent.instances[pair.instance].current == number;
    if (bit == 0) {
      if (holds) uses_bits_ = false;
      continue;
    }
    bit_pairs_[static_cast<std::size_t>(std::countr_zero(bit))] = number;
    if (holds) holding_bits_ |= bit;
    if (!pair.is_declared) declared_bits_ &= ~bit;
  }
}

PairBits Sweep::packed_bits(Index table, std::span<const Value> columns, Value value) const {
  PairBits found = 0;
  for (PairBits left = phase_->bits_of[table]; left != 0; left &= left - 1) {
    const PackedPair& pair = phase_->packed[static_cast<std::size_t>(std::countr_zero(left))];
    if (matches(pair, columns, value, world_.key, world_.terms)) found |= left & -left;
  }
  return found;
}

// The bit of a pair; 0 if it has none.
PairBits Sweep::bit_of(Index table, FluentTable& fluent, Index number) const {
  Pair& pair = fluent.pairs[number];
  if (pair.bit == Pair::kNotLookedUp) {
    const PairBits bits = packed_bits(table, fluent.columns(pair.instance), pair.value);
    pair.bit = bits == 0 ? Pair::kNoBit : static_cast<std::int8_t>(std::countr_zero(bits));
  }
  return pair.bit == Pair::kNoBit ? 0 : PairBits{1} << static_cast<unsigned>(pair.bit);
}

// Updates the bits after an instance has changed its pair.
void Sweep::mirror(Index table, FluentTable& fluent, Index before, Index current) {
  if (before != kNone) holding_bits_ &= ~bit_of(table, fluent, before);
  if (current == kNone) return;
  const PairBits bit = bit_of(table, fluent, current);
  holding_bits_ |= bit;
  if (!fluent.pairs[current].is_declared) declared_bits_ &= ~bit;
}

Index Sweep::packed_pair(std::size_t bit) {
  if (bit_pairs_[bit] != kNone) return bit_pairs_[bit];
  const PackedPair& packed = phase_->packed[bit];
  FluentTable& fluent = world_.fluents[packed.table];
  head_.clear();
  for (const auto& [part, word] : packed.columns) {
    head_.push_back(part == kNone ? Value::from_word(word) : world_.key[part]);
  }
  const auto [pair, is_new] = fluent.add_pair(fluent.add(head_), packed.value);
  if (is_new && !world_.prepared.groundings[packed.table].empty() && !is_declared(packed.table, head_, packed.value)) {
    fluent.pairs[pair].is_declared = false;
    declared_bits_ &= ~(PairBits{1} << bit);
  }
  bit_pairs_[bit] = pair;
  return pair;
}

// Processes rows before `stop` that need only bits. Returns the first row of the time-point where that ends.
const Value* Sweep::run_packed(const Value* row, const Value* end, Time stop) {
  const RowRules* const all_rules = phase_->row_rules.data();
  while (row != end) {
    const Time time = time_of(*row);
    if (time >= stop) break;
    const Value* next = row;
    do {
      const RowHead head = RowHead::from(next[1]);
      const RowRules& rules = all_rules[head.table];
      if (!rules.is_packed || head.passes == RowHead::kUnknown) {
        initiated_bits_ = ended_bits_ = 0;
        return row;
      }
      const std::uint64_t wanted = (head.passes & rules.mask) | rules.other_bits;
      world_.now = time;
      if (wanted != 0 && !mark_packed(rules, next + kLogHead, wanted)) {
        initiated_bits_ = ended_bits_ = 0;
        return row;
      }
      next += rules.width;
    } while (next != end && time_of(*next) == time);
    row = next;
    in_a_row_ = 0;
    if ((++steps_ & 63U) == 0) world_.watch.check();
    if ((initiated_bits_ | ended_bits_) != 0) apply_packed(time);
  }
  return row;
}

// Runs the packed rules at some positions on a row.
bool Sweep::mark_packed(const RowRules& rules, const Value* row, std::uint64_t positions) {
  for (; positions != 0; positions &= positions - 1) {
    const auto position = static_cast<std::size_t>(std::countr_zero(positions));
    const PackedRule& rule = rules.packed[position];
    if ((holding_bits_ & declared_bits_ & rule.asks) != rule.wants) continue;
    if (rule.has_more && !passes_all(rules.at(position), row)) continue;
    if (rule.is_mirrored) {
      if ((rule.initiates | (rule.ends & holding_bits_)) != 0) return false;
      continue;
    }
    initiated_bits_ |= rule.initiates;
    ended_bits_ |= rule.ends;
  }
  return true;
}

// Computes the state after a time-point. A termination, or the initiation of another value, breaks a pair.
void Sweep::apply_packed(Time time) {
  PairBits broken = ended_bits_;
  for (PairBits left = initiated_bits_; left != 0; left &= left - 1) {
    broken |= phase_->packed[static_cast<std::size_t>(std::countr_zero(left))].rivals;
  }
  const PairBits next = (holding_bits_ | initiated_bits_) & ~broken;
  for (PairBits left = initiated_bits_ & broken; left != 0;) {
    const auto bit = static_cast<std::size_t>(std::countr_zero(left));
    const Index table = phase_->packed[bit].table;
    conflicts_.push_back({table, world_.fluents[table].pairs[packed_pair(bit)].instance, time});
    left &= ~(phase_->packed[bit].rivals | PairBits{1} << bit);
  }
  for (PairBits left = holding_bits_ & ~next; left != 0; left &= left - 1) {
    const auto bit = static_cast<std::size_t>(std::countr_zero(left));
    FluentTable& fluent = world_.fluents[phase_->packed[bit].table];
    Pair& pair = fluent.pairs[bit_pairs_[bit]];
    pair.list.push_back({pair.since, time + 1});
    pair.since = kForever;
    fluent.instances[pair.instance].current = kNone;
  }
  for (PairBits left = next & ~holding_bits_; left != 0; left &= left - 1) {
    const auto bit = static_cast<std::size_t>(std::countr_zero(left));
    FluentTable& fluent = world_.fluents[phase_->packed[bit].table];
    const Index number = packed_pair(bit);
    Pair& pair = fluent.pairs[number];
    pair.since = time + 1;
    fluent.instances[pair.instance].current = number;
  }
  holding_bits_ = next;
  initiated_bits_ = ended_bits_ = 0;
}

}  // namespace holdsfor
