// What has become of the intervals of a pair since they were last reported.
//
// An interval has an id from its first report on, made of its start and the query time then. Later it has the id of the
// earlier report that it overlaps: of the first one, if two have grown together; what is left over when one is split is
// new. Intervals that the window has left behind stay as they are.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "value.h"

namespace holdsfor {

enum class ChangeOp : std::uint8_t { kOpen, kExtend, kClose, kRevise, kRetract };

// An interval as it was reported, with what makes its id.
struct Reported {
  Time start = 0;
  Time end = 0;
  Time first_start = 0;
  Time first_query = 0;
};

struct Change {
  ChangeOp op = ChangeOp::kOpen;
  Reported now;       // of kRetract: what is taken back
  Reported previous;  // of kOpen: as now
};

// The times that changes go by: of this report, where its window begins, and the same of the report before.
struct ReportTimes {
  Time query = 0;
  Time low = kNever;
  Time before = kNever;
  Time low_before = kNever;
};

// Compares the intervals of a pair, both lists in order. Gives those of `now` their ids and adds what has changed.
void compare(std::span<const Reported> last, std::span<Reported> now, const ReportTimes& times,
             std::vector<Change>& changes);

}  // namespace holdsfor
