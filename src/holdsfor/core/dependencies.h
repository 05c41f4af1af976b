// Which tables the rows of a table are made of, directly or not.
#pragma once

#include <vector>

#include "plan.h"

namespace holdsfor {

class Dependencies {
 public:
  explicit Dependencies(const Plan& plan);

  // Whether a table is made of another, or is the same.
  bool depends(Index table, Index other);

 private:
  std::vector<std::vector<Index>> direct_;  // by table
  std::vector<std::vector<bool>> reached_;  // by table; empty until somebody wants to know
};

}  // namespace holdsfor
