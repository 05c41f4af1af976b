// Puts the components of each stage together into phases.
#pragma once

#include "prepared.h"

namespace holdsfor {

// Components whose rules read nothing but events of earlier phases and values that hold at the present time-point share
// one pass. What they read in other ways must be finished before, in an earlier phase.
void make_phases(Prepared& prepared);

}  // namespace holdsfor
