// Makes terms of shapes whose registers have values.
#pragma once

#include <span>

#include "plan.h"
#include "terms.h"

namespace holdsfor {

// What matches anything becomes a wildcard.
Value build(const Shape& shape, std::span<const Value> registers, TermTable& terms);

}  // namespace holdsfor
