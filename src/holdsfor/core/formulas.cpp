#include "formulas.h"

#include <array>
#include <cmath>

#include "arithmetic.h"

namespace holdsfor {
namespace {

constexpr double kExact = 9007199254740992.0;  // 2^53
constexpr double kUnknown = kUnknownNumber;

bool is_small(double number) { return std::fabs(number) < kExact; }

bool is_whole(double number) { return number == std::trunc(number); }

// Powers of integers follow rules of their own: Arithmetic handles negative exponents.
double power(double base, double exponent) {
  if (!is_whole(base) || !is_whole(exponent)) return std::pow(base, exponent);
  if (exponent == 2) return base * base;
  return exponent >= 0 ? std::pow(base, exponent) : kUnknown;
}

double apply_to_one(Function function, double number) {
  switch (function) {
    case Function::kNegate:
      return -number;
    case Function::kPlus:
    case Function::kFloat:
      return number;
    case Function::kAbs:
      return std::fabs(number);
    case Function::kSign:
      return static_cast<double>(static_cast<int>(number > 0) - static_cast<int>(number < 0));
    case Function::kFloor:
      return std::floor(number);
    case Function::kCeiling:
      return std::ceil(number);
    case Function::kRound:
      return std::round(number);
    case Function::kTruncate:
      return std::trunc(number);
    case Function::kSqrt:
      return std::sqrt(number);
    case Function::kExp:
      return std::exp(number);
    case Function::kLog:
      return number > 0 ? std::log(number) : kUnknown;
    case Function::kLog2:
      return number > 0 ? std::log2(number) : kUnknown;
    case Function::kSin:
      return std::sin(number);
    case Function::kCos:
      return std::cos(number);
    case Function::kTan:
      return std::tan(number);
    case Function::kAsin:
      return std::asin(number);
    case Function::kAcos:
      return std::acos(number);
    case Function::kAtan:
      return std::atan(number);
    default:
      return kUnknown;
  }
}

double apply_to_two(Function function, double left, double right) {
  switch (function) {
    case Function::kAdd:
      return left + right;
    case Function::kSubtract:
      return left - right;
    case Function::kMultiply:
      return left * right;
    case Function::kDivide:
      return right != 0 ? left / right : kUnknown;
    case Function::kIntegerDivide:
      return right != 0 ? truncating_divide(left, right) : kUnknown;
    case Function::kFloorDivide:
      return right != 0 ? floor_divide(left, right) : kUnknown;
    case Function::kModulo:
      return right != 0 ? modulo(left, right) : kUnknown;
    case Function::kRemainder:
      return right != 0 ? std::fmod(left, right) : kUnknown;
    case Function::kPower:
      return power(left, right);
    case Function::kMin:
      return left < right ? left : right;
    case Function::kMax:
      return left > right ? left : right;
    case Function::kAtan2:
      return std::atan2(left, right);
    default:
      return kUnknown;
  }
}

// Adds the steps of an expression, with `waiting` operands on the stack. False if it has no formula.
bool add_steps(const Expression& expression, std::size_t waiting, Formula& into) {
  if (waiting == kDeepestFormula) return false;
  switch (expression.kind) {
    case ExpressionKind::kConstant: {
      const double number = small_number(expression.constant);
      into.push_back({.kind = FormulaStep::Kind::kConstant, .function = 0, .reg = 0, .constant = number});
      return !std::isnan(number);
    }
    case ExpressionKind::kRegister:
      into.push_back({.kind = FormulaStep::Kind::kRegister, .function = 0, .reg = expression.reg, .constant = 0});
      return true;
    case ExpressionKind::kApply: {
      for (const Expression& arg : expression.args) {
        if (!add_steps(arg, waiting++, into)) return false;
      }
      const bool has_one = expression.args.size() == 1;
      into.push_back({.kind = has_one ? FormulaStep::Kind::kOne : FormulaStep::Kind::kTwo,
                      .function = expression.function,
                      .reg = 0,
                      .constant = 0});
      return true;
    }
    default:
      return false;
  }
}

}  // namespace

double value_of(const Formula& formula, std::span<const Value> registers) {
  if (formula.empty()) return kUnknown;
  std::array<double, kDeepestFormula> numbers{};
  double* top = numbers.data();  // one past the top of the stack
  for (const FormulaStep& step : formula) {
    switch (step.kind) {
      case FormulaStep::Kind::kConstant:
        *top++ = step.constant;
        continue;
      case FormulaStep::Kind::kRegister:
        *top = small_number(registers[step.reg]);
        if (std::isnan(*top)) return kUnknown;
        ++top;
        continue;
      case FormulaStep::Kind::kOne:
        break;
      case FormulaStep::Kind::kTwo:
        --top;
        break;
    }
    const auto function = static_cast<Function>(step.function);
    const double found =
        step.kind == FormulaStep::Kind::kOne ? apply_to_one(function, top[-1]) : apply_to_two(function, top[-1], *top);
    if (!is_small(found)) return kUnknown;
    top[-1] = found + 0.0;  // normalise -0.0 to 0.0
  }
  return numbers[0];
}

Formula make_formula(const Expression& expression) {
  Formula made;
  if (!add_steps(expression, 0, made)) made.clear();
  return made;
}

namespace {

// The result of a function if its operands are known and it is small; otherwise unknown.
double checked(double found, bool is_known) { return is_known && is_small(found) ? found + 0.0 : kUnknown; }

}  // namespace

void apply_function(std::uint8_t function, std::span<double> numbers) {
  if (static_cast<Function>(function) == Function::kAbs) {
    for (double& one : numbers) one = std::fabs(one);
    return;
  }
  for (double& one : numbers) one = checked(apply_to_one(static_cast<Function>(function), one), !std::isnan(one));
}

void apply_function(std::uint8_t function, std::span<double> left, const double* right) {
  const auto apply = [&](const auto& operation) {
    for (std::size_t i = 0; i < left.size(); ++i) {
      const bool is_known = !std::isunordered(left[i], right[i]);
      left[i] = checked(operation(left[i], right[i]), is_known);
    }
  };
  // Separate lambdas let the compiler vectorise the common functions.
  switch (static_cast<Function>(function)) {
    case Function::kAdd:
      return apply([](double a, double b) { return a + b; });
    case Function::kSubtract:
      return apply([](double a, double b) { return a - b; });
    case Function::kMultiply:
      return apply([](double a, double b) { return a * b; });
    case Function::kMin:
      return apply([](double a, double b) { return a < b ? a : b; });
    case Function::kMax:
      return apply([](double a, double b) { return a > b ? a : b; });
    default:
      return apply([&](double a, double b) { return apply_to_two(static_cast<Function>(function), a, b); });
  }
}

// As in Python: based on the remainder, which is exact.
double floor_divide(double left, double right) {
  const double rest = std::fmod(left, right);
  double quotient = (left - rest) / right;
  if (rest != 0 && (right < 0) != (rest < 0)) quotient -= 1.0;
  if (quotient == 0) return 0.0;
  const double found = std::floor(quotient);
  return quotient - found > 0.5 ? found + 1.0 : found;
}

double truncating_divide(double left, double right) {
  const double quotient = floor_divide(std::fabs(left), std::fabs(right));
  return (left >= 0) == (right >= 0) ? quotient : -quotient;
}

double modulo(double left, double right) {
  const double rest = std::fmod(left, right);
  return rest != 0 && (right < 0) != (rest < 0) ? rest + right : rest;
}

}  // namespace holdsfor
