// Puts intervals that come into the logs of their keys.
#pragma once

#include <vector>

#include "arrivals.h"
#include "interval_intake.h"

namespace holdsfor {

// Takes the rows of a group into the log of its key. Of input, nothing is taken back that lies before `first`. With
// `causes`, notes those that made a difference; the others go to `lost` if they are counted here.
Taken take_in(const IntervalIntake& intake, std::size_t group, Time first, IntervalLog& log, std::vector<Cause>* causes,
              std::vector<Cause>& lost);

}  // namespace holdsfor
