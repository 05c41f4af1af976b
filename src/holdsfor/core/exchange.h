// Serializes rows for the keys of a later stage, for the engines that own these keys: see buckets.h.
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

// The rows of deliveries that a stage reads, distributed to its buckets, together with the inputs that caused them.
class Exchange {
 public:
  Exchange(const Stage& stage, const BucketGrid& grid, const TermTable& terms);

  // Adds the rows of the tables marked in `wanted`.
  void add(const Deliveries& deliveries, const std::vector<bool>& wanted);
  // The buckets that receive rows, in order, with the rows of each. `inputs_behind` returns the input numbers behind a
  // cause.
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

// Destination for the causes of received rows: the inputs, and reports that name these inputs, numbered like reports of
// a stage.
struct ReceivedCauses {
  Inputs& inputs;
  Reports& reports;
  Index stage = 0;
};

// Adds the rows of an exchange, without causes if `causes` is null. Refuses bytes that do not fit the plan.
void read_exchange(StateReader& from, const Plan& plan, Deliveries& into, const ReceivedCauses* causes);

}  // namespace holdsfor
