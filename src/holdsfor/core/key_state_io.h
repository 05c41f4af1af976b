// Reads and writes the state of one key in a saved state.
#pragma once

#include "key_state.h"
#include "state_io.h"

namespace holdsfor {

void write_log(StateWriter& into, const Log& log, const LogWidths& widths);
void read_log(StateReader& from, Log& log, const Plan& plan);
void write_intervals(StateWriter& into, const IntervalLog& log);
void read_intervals(StateReader& from, IntervalLog& log, const Plan& plan);

void write_state(StateWriter& into, const KeyState& state, const LogWidths& widths);
// Refuses rows that do not fit the plan.
KeyState read_state(StateReader& from, const Plan& plan, const LogWidths& widths);

}  // namespace holdsfor
