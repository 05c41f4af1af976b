// Dependencies between tables: the tables from which the rows of a table are derived, directly or indirectly.
#pragma once

#include <vector>

#include "plan.h"

namespace holdsfor {

class Dependencies {
 public:
  explicit Dependencies(const Plan& plan);

  // Whether a table is derived from `other`, or equals it.
  bool depends(Index table, Index other);

 private:
  std::vector<std::vector<Index>> direct_;  // by table
  std::vector<std::vector<bool>> reached_;  // by table; empty until the first query
};

}  // namespace holdsfor
