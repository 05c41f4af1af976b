// Which buckets of a distributed run the rows of a stage go to. The arithmetic is that of holdsfor/spark/sources.py.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "plan.h"
#include "terms.h"

namespace holdsfor {

// The number that stands for a value: a number its floor, a name the CRC-32 of its text. Equal values have the same
// one.
std::int64_t value_number(Value value, const TermTable& terms);

// The hash of some values by these numbers, as `hash` of Spark SQL (Murmur3).
std::uint32_t hash_of_values(std::span<const Value> values, const TermTable& terms);

// The buckets of one stage. Without sides, a key is in the bucket of its hash. Where rules read rows by a part of the
// key, buckets are the cells of a grid with a side for each part: all rows of one value go to the cells of one line,
// and a key is in the cell of its values. Keys that are tied are in one bucket.
class BucketGrid {
 public:
  BucketGrid() = default;
  // `sides` by part of the key, or none; the product of sides is at most `buckets`.
  BucketGrid(std::size_t buckets, std::vector<Index> sides);
  // Keys of one column whose numbers (see value_number) are tied count as the first of them.
  using Firsts = std::unordered_map<std::int64_t, std::int64_t>;
  BucketGrid(std::size_t buckets, Firsts firsts) : buckets_(buckets), firsts_(std::move(firsts)) {}

  [[nodiscard]] Index bucket(std::span<const Value> key, const TermTable& terms) const;
  // Which of so many parts of its bucket a key is in, at most 65,536.
  [[nodiscard]] Index part(std::span<const Value> key, std::size_t parts, const TermTable& terms) const;
  // The buckets that a row goes to on a route, each once, in order.
  void find(const Route& route, const Value* args, const TermTable& terms, std::vector<Index>& into) const;

 private:
  // The cells that have `place` on the side of a part.
  void add_line(Index part, Index place, std::vector<Index>& into) const;

  std::size_t buckets_ = 1;
  std::vector<Index> sides_;
  Firsts firsts_;
};

}  // namespace holdsfor
