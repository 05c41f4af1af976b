// Expressions as straight sequences of operations on floats.
//
// Below 2^53 a float and an integer of the same value are the same number, and sums and products of integers are exact
// in both. So an expression whose numbers all lie below it needs no terms in between. Whatever else there is (larger
// numbers, names, what has no value) is left to Arithmetic.
#pragma once

#include <cmath>
#include <limits>
#include <span>

#include "plan.h"

namespace holdsfor {

// Nothing if an expression has more than functions of numbers in it.
Formula make_formula(const Expression& expression);

inline constexpr double kUnknownNumber = std::numeric_limits<double>::quiet_NaN();

// So many numbers may wait for a function.
inline constexpr std::size_t kDeepestFormula = 8;

// A number that may stand in a formula; unknown if it is another one, or none.
inline double small_number(Value value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (!value.is_integer() && !value.is_real()) return kUnknownNumber;
  const double number = value.is_integer() ? static_cast<double>(value.as_integer()) : value.as_real();
  return std::fabs(number) < kExact ? number : kUnknownNumber;
}

// The value of a formula; no number (NaN) if Arithmetic has to find it, if there is one.
double value_of(const Formula& formula, std::span<const Value> registers);
// A function of one number or of two for a whole column; the results take the place of the first.
void apply_function(std::uint8_t function, std::span<double> numbers);
void apply_function(std::uint8_t function, std::span<double> left, const double* right);

// Functions of floats, rounded as in Python. The second number is not zero.
double floor_divide(double left, double right);
double truncating_divide(double left, double right);
double modulo(double left, double right);

}  // namespace holdsfor
