// What is pushed and retracted between two query times, in order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "plan.h"
#include "rows.h"

namespace holdsfor {

// The number of an input, which changes name as their cause.
using Cause = std::int64_t;
inline constexpr Cause kNoCause = -1;

// Rows of one table that came together. Events are a time and arguments, as in RowSet; intervals are start, end, value
// and arguments. Row i has the number `cause + i`.
struct Edit {
  Index table = 0;
  bool is_retraction = false;
  Cause cause = kNoCause;
  RowSet rows;
  std::vector<bool> is_point;  // of intervals

  [[nodiscard]] Cause cause_of(std::size_t row) const {
    return cause == kNoCause ? kNoCause : cause + static_cast<Cause>(row);
  }
};

class Edits {
 public:
  // The edit that a row is to be added to: the last one, if the row goes on with it.
  Edit& edit_for(Index table, bool is_retraction, Cause cause, std::size_t width);
  [[nodiscard]] std::vector<Edit>& all() { return edits_; }
  [[nodiscard]] const std::vector<Edit>& all() const { return edits_; }
  void clear() { edits_.clear(); }

 private:
  std::vector<Edit> edits_;
};

}  // namespace holdsfor
