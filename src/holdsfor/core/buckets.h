// Assigns the rows of a stage to the buckets of a distributed run. The arithmetic must match holdsfor/spark/sources.py.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "plan.h"
#include "terms.h"

namespace holdsfor {

// The number that represents a value: the floor of a number, the CRC-32 of the text of a name. Equal values have equal
// numbers.
std::int64_t value_number(Value value, const TermTable& terms);

// The hash of values by these numbers, equal to `hash` of Spark SQL (Murmur3).
std::uint32_t hash_of_values(std::span<const Value> values, const TermTable& terms);

// The buckets of one stage. Without sides, the hash of a key gives its bucket. If rules read rows by a partial key, the
// buckets are the cells of a grid with one side for each part of the key. All rows of one value go to the cells of one
// line, and a key is in the cell of its values. Tied keys share one bucket.
class BucketGrid {
 public:
  BucketGrid() = default;
  // `sides` by part of the key, or empty. The product of the sides is at most `buckets`.
  BucketGrid(std::size_t buckets, std::vector<Index> sides);
  // For tied keys of one column: maps the number of a key (see value_number) to the first number of its group.
  using Firsts = std::unordered_map<std::int64_t, std::int64_t>;
  BucketGrid(std::size_t buckets, Firsts firsts) : buckets_(buckets), firsts_(std::move(firsts)) {}

  [[nodiscard]] Index bucket(std::span<const Value> key, const TermTable& terms) const;
  // The part of its bucket that a key is in, of `parts` parts, at most 65,536.
  [[nodiscard]] Index part(std::span<const Value> key, std::size_t parts, const TermTable& terms) const;
  // The buckets that a row goes to on a route, each once, in order.
  void find(const Route& route, const Value* args, const TermTable& terms, std::vector<Index>& into) const;

 private:
  // Adds the cells with `place` on the side of a part.
  void add_line(Index part, Index place, std::vector<Index>& into) const;

  std::size_t buckets_ = 1;
  std::vector<Index> sides_;
  Firsts firsts_;
};

}  // namespace holdsfor
