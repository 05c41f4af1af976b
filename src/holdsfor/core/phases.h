// Groups the components of each stage into phases.
#pragma once

#include "prepared.h"

namespace holdsfor {

// Components share one pass if their rules read only events of earlier phases and values that hold at the present
// time-point. Everything else that they read must be finished in an earlier phase.
void make_phases(Prepared& prepared);

}  // namespace holdsfor
