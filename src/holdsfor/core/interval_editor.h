// Takes incoming intervals into the logs of their keys.
#pragma once

#include <vector>

#include "arrivals.h"
#include "interval_intake.h"

namespace holdsfor {

// Takes the rows of a group into the log of its key. Does not retract input before `first`. With `causes`, records the
// rows that had an effect. Records retractions without effect in `lost` if they are counted here.
Taken take_in(const IntervalIntake& intake, std::size_t group, Time first, IntervalLog& log, std::vector<Cause>* causes,
              std::vector<Cause>& lost);

}  // namespace holdsfor
