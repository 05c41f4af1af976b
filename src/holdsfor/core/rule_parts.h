// A rule that begins with a row of events in two parts: the conditions that the row alone decides, and the rest.
#pragma once

#include "plan.h"

namespace holdsfor {

// Whether a rule begins with the events of its time-point.
bool is_row_rule(const Rule& rule);

// Sets Rule::row_tests and Rule::row_rest of such a rule.
void split_rule(Rule& rule);

}  // namespace holdsfor
