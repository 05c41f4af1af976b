// Rules whose fluents need no tables while rows are gone through: which of their pairs hold is one word.
//
// A table is packed if its rules name all that they initiate by constants and by the key. Then every pair of a key has
// a bit. A rule that runs row by row, and has nothing left to do but tests of what holds, tests some bits and sets
// others among those that are initiated or ended at the time-point. What other rules bring about is looked up among the
// pairs.
//
// A table with delayed effects is evaluated otherwise. It is mirrored: bits say which of its pairs hold, so that rows
// can be passed over whose rules would do nothing.
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

// What a bit stands for.
struct PackedPair {
  Index table = 0;
  // Each a constant, or the part of the key with this number.
  std::vector<std::pair<Index, std::uint64_t>> columns;
  Value value;
  PairBits rivals = 0;  // other values of its instance
};

enum class Packing : std::uint8_t { kNone, kPacked, kMirrored };

struct PackedRule {
  PairBits asks = 0;   // the pairs that it tests
  PairBits wants = 0;  // and those of them that must hold: the others must not
  PairBits initiates = 0;
  PairBits ends = 0;
  // Tests of other tables are left, see RowRule::tests.
  bool has_more = false;
  // It is about a mirrored table: what it would do is done otherwise.
  bool is_mirrored = false;
};

// Whether columns and a value are those of a packed pair, for a key; wildcards, also inside of terms, match anything.
bool matches(const PackedPair& pair, std::span<const Value> columns, Value value, std::span<const Value> key,
             const TermTable& terms);

// Finds the tables of a phase that can be packed, and makes their rules so.
void pack_rules(const Prepared& prepared, Index stage, Phase& phase);

}  // namespace holdsfor
