// Compiles expressions to straight-line sequences of float operations.
//
// Below 2^53 an integer and a float of the same value are the same number, and sums and products of integers are exact
// in floats. So an expression over numbers below 2^53 needs no intermediate terms. Arithmetic evaluates all other
// cases: larger numbers, names, operands without a value.
#pragma once

#include <cmath>
#include <limits>
#include <span>

#include "plan.h"

namespace holdsfor {

// Compiles an expression. Nothing if it contains more than functions of numbers.
Formula make_formula(const Expression& expression);

inline constexpr double kUnknownNumber = std::numeric_limits<double>::quiet_NaN();

// Operands on the stack of a formula, at most.
inline constexpr std::size_t kDeepestFormula = 8;

// A number that a formula can use; otherwise unknown.
inline double small_number(Value value) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (!value.is_integer() && !value.is_real()) return kUnknownNumber;
  const double number = value.is_integer() ? static_cast<double>(value.as_integer()) : value.as_real();
  return std::fabs(number) < kExact ? number : kUnknownNumber;
}

// The value of a formula. NaN: Arithmetic must evaluate the expression, which may have a value or not.
double value_of(const Formula& formula, std::span<const Value> registers);
// Applies a function of one or two numbers to a whole column. The results replace the first operand.
void apply_function(std::uint8_t function, std::span<double> numbers);
void apply_function(std::uint8_t function, std::span<double> left, const double* right);

// Functions of floats, rounded as in Python. The second operand is not zero.
double floor_divide(double left, double right);
double truncating_divide(double left, double right);
double modulo(double left, double right);

}  // namespace holdsfor
