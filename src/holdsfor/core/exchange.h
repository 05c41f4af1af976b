// What the keys of a later stage get from this one, in bytes for the engine that has them: see buckets.h.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "buckets.h"
#include "deliveries.h"
#include "inputs.h"
#include "reports.h"
#include "state_io.h"

namespace holdsfor {

// Rows of deliveries that a stage reads, put into the buckets of that stage. The inputs that caused them go with them.
class Exchange {
 public:
  Exchange(const Stage& stage, const BucketGrid& grid, const TermTable& terms);

  // Adds the rows of tables that are `wanted`.
  void add(const Deliveries& deliveries, const std::vector<bool>& wanted);
  // The buckets that get something, in order, each with its rows.
  // `inputs_behind` gives the numbers of the inputs behind a cause.
  using InputsBehind = std::function<std::span<const Cause>(Cause)>;
  [[nodiscard]] std::vector<std::pair<Index, std::string>> finish(std::uint64_t fingerprint, const Inputs& inputs,
                                                                  const InputsBehind& inputs_behind) const;

 private:
  [[nodiscard]] const Route* route_of(Index table, const std::vector<bool>& wanted) const;

  const Stage& stage_;
  const BucketGrid& grid_;
  const TermTable& terms_;
  std::vector<Index> targets_;
  std::map<Index, Deliveries> by_bucket_;
};

// Where the causes of rows of an exchange go: their inputs, and reports, numbered as those of a stage, that have them.
struct ReceivedCauses {
  Inputs& inputs;
  Reports& reports;
  Index stage = 0;
};

// Adds the rows of an exchange; without `causes`, these are left out. Bytes that do not fit the plan are refused.
void read_exchange(StateReader& from, const Plan& plan, Deliveries& into, const ReceivedCauses* causes);

}  // namespace holdsfor
