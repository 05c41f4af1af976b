// Builds terms from shapes whose registers are bound.
#pragma once

#include <span>

#include "plan.h"
#include "terms.h"

namespace holdsfor {

// kAnything becomes a wildcard.
Value build(const Shape& shape, std::span<const Value> registers, TermTable& terms);

}  // namespace holdsfor
