// Expressions as straight sequences of operations on floats.
//
// Below 2^53 a float and an integer of the same value are the same number, and sums and products of integers are exact
// in both. So an expression whose numbers all lie below it needs no terms in between. Whatever else there is (larger
// numbers, names, what has no value) is left to Arithmetic.
#pragma once

#include <span>

#include "plan.h"

namespace holdsfor {

// Nothing if an expression has more than functions of numbers in it.
Formula make_formula(const Expression& expression);

// The value of a formula; no number (NaN) if Arithmetic has to find it, if there is one.
double value_of(const Formula& formula, std::span<const Value> registers);

// Functions of floats, rounded as in Python. The second number is not zero.
double floor_divide(double left, double right);
double truncating_divide(double left, double right);
double modulo(double left, double right);

}  // namespace holdsfor
