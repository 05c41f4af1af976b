// Compares the intervals of a pair with those of the last report.
//
// An interval gets an id at its first report, made of its start and the query time of that report. Later it has the id
// of the reported interval that it overlaps: that of the first one if two have merged. If an interval is split, the
// remaining pieces are new. Intervals behind the window keep their last report.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "value.h"

namespace holdsfor {

enum class ChangeOp : std::uint8_t { kOpen, kExtend, kClose, kRevise, kRetract };

// An interval as it was reported, with the times that make up its id.
struct Reported {
  Time start = 0;
  Time end = 0;
  Time first_start = 0;
  Time first_query = 0;
};

struct Change {
  ChangeOp op = ChangeOp::kOpen;
  Reported now;       // for kRetract: the interval that is retracted
  Reported previous;  // for kOpen: equal to `now`
};

// The times of a comparison: query time and start of the window, of this report and of the previous one.
struct ReportTimes {
  Time query = 0;
  Time low = kNever;
  Time before = kNever;
  Time low_before = kNever;
};

// Compares the intervals of a pair; both lists are in order. Sets the ids in `now` and adds the changes.
void compare(std::span<const Reported> last, std::span<Reported> now, const ReportTimes& times,
             std::vector<Change>& changes);

}  // namespace holdsfor
