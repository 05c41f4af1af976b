// Packed rules: one word holds the state of all their pairs, so that a pass over rows needs no tables.
//
// A table is packed if its rules name everything that they initiate by constants and the key. Then every pair of a key
// has a bit. A packed rule runs row by row, and after the row conditions has only tests of what holds. It tests some
// bits, and sets others among the bits that are initiated or ended at the time-point. Effects of other rules are mapped
// to the pairs.
//
// A table with delayed effects is mirrored: it is evaluated as usual, and bits repeat which of its pairs hold. Rows
// whose rules would do nothing are skipped with these bits.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "plan.h"

namespace holdsfor {

struct Phase;
struct Prepared;

using PairBits = std::uint64_t;

// The pair of a bit.
struct PackedPair {
  Index table = 0;
  // Each column is a constant, or the column of the key with this number.
  std::vector<std::pair<Index, std::uint64_t>> columns;
  Value value;
  PairBits rivals = 0;  // other values of the same instance
};

enum class Packing : std::uint8_t { kNone, kPacked, kMirrored };

struct PackedRule {
  PairBits asks = 0;   // the pairs that it tests
  PairBits wants = 0;  // of these, the pairs that must hold; the others must not
  PairBits initiates = 0;
  PairBits ends = 0;
  // Tests of other tables remain, see RowRule::tests.
  bool has_more = false;
  // The rule affects a mirrored table: the normal evaluation runs it.
  bool is_mirrored = false;
};

// Whether columns and a value match a packed pair of a key. Wildcards, also inside terms, match anything.
bool matches(const PackedPair& pair, std::span<const Value> columns, Value value, std::span<const Value> key,
             const TermTable& terms);

// Finds the tables of a phase that can be packed, and packs their rules.
void pack_rules(const Prepared& prepared, Index stage, Phase& phase);

}  // namespace holdsfor
