// Whether a plan that was read can be run: every number in it is that of something there is.
#pragma once

#include "plan.h"

namespace holdsfor {

// Throws std::invalid_argument with a reason. What it lets pass may be nonsense, but runs.
void check_plan(const Plan& plan);

}  // namespace holdsfor
