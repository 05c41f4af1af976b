// Expressions as straight sequences of operations on floats.
//
// Below 2^53 a float and an integer of the same value are the same number, and sums and products of integers are exact
// in both. So an expression whose numbers all lie below it needs no terms in between. Whatever else there is (larger
// numbers, names, what has no value) is left to Arithmetic.
#pragma once

#include <limits>
#include <span>

#include "function_ref.h"
#include "plan.h"

namespace holdsfor {

// Nothing if an expression has more than functions of numbers in it.
Formula make_formula(const Expression& expression);

inline constexpr double kUnknownNumber = std::numeric_limits<double>::quiet_NaN();

// A number that may stand in a formula; unknown if it is another one, or none.
double small_number(Value value);

// The value of a formula; no number (NaN) if Arithmetic has to find it, if there is one. The numbers of registers come
// from their values, or from a function.
double value_of(const Formula& formula, std::span<const Value> registers);
double value_with(const Formula& formula, FunctionRef<double(Index)> number_of);

// Functions of floats, rounded as in Python. The second number is not zero.
double floor_divide(double left, double right);
double truncating_divide(double left, double right);
double modulo(double left, double right);

}  // namespace holdsfor
