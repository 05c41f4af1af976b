// The state of one key in a saved state.
#pragma once

#include "key_state.h"
#include "state_io.h"

namespace holdsfor {

void write_state(StateWriter& into, const KeyState& state, const LogWidths& widths);
// Refuses rows that are not those of a plan.
KeyState read_state(StateReader& from, const Plan& plan, const LogWidths& widths);

}  // namespace holdsfor
