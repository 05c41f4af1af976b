// What the keys of a later stage get from this one, in bytes for the engine that has them: see buckets.h.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "buckets.h"
#include "deliveries.h"
#include "state_io.h"

namespace holdsfor {

// Rows of deliveries that a stage reads, put into the buckets of that stage. Causes are left out.
class Exchange {
 public:
  Exchange(const Stage& stage, const BucketGrid& grid, const TermTable& terms);

  // Adds the rows of tables that are `wanted`.
  void add(const Deliveries& deliveries, const std::vector<bool>& wanted);
  // The buckets that get something, in order, each with its rows.
  [[nodiscard]] std::vector<std::pair<Index, std::string>> finish(std::uint64_t fingerprint) const;

 private:
  [[nodiscard]] const Route* route_of(Index table, const std::vector<bool>& wanted) const;

  const Stage& stage_;
  const BucketGrid& grid_;
  const TermTable& terms_;
  std::vector<Index> targets_;
  std::map<Index, Deliveries> by_bucket_;
};

// Adds the rows of an exchange. Bytes that do not fit the plan are refused.
void read_exchange(StateReader& from, const Plan& plan, Deliveries& into);

}  // namespace holdsfor
