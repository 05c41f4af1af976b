// Validates a plan that was read: every number in it must refer to something that exists.
#pragma once

#include "plan.h"

namespace holdsfor {

// Throws std::invalid_argument with a reason. An accepted plan may be meaningless, but it is safe to run.
void check_plan(const Plan& plan);

}  // namespace holdsfor
