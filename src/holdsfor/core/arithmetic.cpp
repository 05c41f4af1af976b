#include "arithmetic.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "formulas.h"
#include "shapes.h"

namespace holdsfor {
namespace {

constexpr double kExact = 9007199254740992.0;  // 2^53
constexpr std::int64_t kExactInteger = std::int64_t{1} << 53U;

struct Named {
  std::string_view name;
  std::size_t arity;
  Function function;
};

constexpr std::array kFunctions = {
    Named{"+", 2, Function::kAdd},
    Named{"-", 2, Function::kSubtract},
    Named{"*", 2, Function::kMultiply},
    Named{"/", 2, Function::kDivide},
    Named{"//", 2, Function::kIntegerDivide},
    Named{"div", 2, Function::kFloorDivide},
    Named{"mod", 2, Function::kModulo},
    Named{"rem", 2, Function::kRemainder},
    Named{"**", 2, Function::kPower},
    Named{"^", 2, Function::kPower},
    Named{"min", 2, Function::kMin},
    Named{"max", 2, Function::kMax},
    Named{"-", 1, Function::kNegate},
    Named{"+", 1, Function::kPlus},
    Named{"abs", 1, Function::kAbs},
    Named{"sign", 1, Function::kSign},
    Named{"floor", 1, Function::kFloor},
    Named{"ceiling", 1, Function::kCeiling},
    Named{"round", 1, Function::kRound},
    Named{"truncate", 1, Function::kTruncate},
    Named{"integer", 1, Function::kRound},
    Named{"float", 1, Function::kFloat},
    Named{"sqrt", 1, Function::kSqrt},
    Named{"exp", 1, Function::kExp},
    Named{"log", 1, Function::kLog},
    Named{"log2", 1, Function::kLog2},
    Named{"sin", 1, Function::kSin},
    Named{"cos", 1, Function::kCos},
    Named{"tan", 1, Function::kTan},
    Named{"asin", 1, Function::kAsin},
    Named{"acos", 1, Function::kAcos},
    Named{"atan", 1, Function::kAtan},
    Named{"atan2", 2, Function::kAtan2},
    Named{"atan", 2, Function::kAtan2},
};

// An integer power that fits into 63 bits. False if it does not.
bool whole_power(std::int64_t base, std::int64_t exponent, std::int64_t& found) {
  if (exponent < 0) return false;
  found = 1;
  for (; exponent > 0; exponent >>= 1U) {
    if ((exponent & 1) != 0 && __builtin_mul_overflow(found, base, &found)) return false;
    if (exponent > 1 && __builtin_mul_overflow(base, base, &base)) return false;
  }
  return true;
}

bool is_exact(std::int64_t number) { return number > -kExactInteger && number < kExactInteger; }

}  // namespace

std::optional<Function> function_of(std::string_view name, std::size_t arity) {
  for (const Named& one : kFunctions) {
    if (one.name == name && one.arity == arity) return one.function;
  }
  return std::nullopt;
}

std::optional<Value> Arithmetic::evaluate(const Expression& expression, std::span<const Value> registers) const {
  switch (expression.kind) {
    case ExpressionKind::kConstant:
      return number_of(expression.constant);
    case ExpressionKind::kRegister:
      return number_of(registers[expression.reg]);
    case ExpressionKind::kTerm:
      return host_.evaluate(build(expression.term, registers, terms_));
    case ExpressionKind::kCalendar: {
      const auto time = evaluate(expression.args[0], registers);
      const auto point = time ? terms_.time(*time) : std::nullopt;
      if (!point) return std::nullopt;
      const auto field = static_cast<CalendarField>(expression.function);
      return calendar_.value(field, *point, expression.unit, expression.constant, terms_);
    }
    case ExpressionKind::kApply:
      break;
  }
  if (const double small = value_of(expression.formula, registers); !std::isnan(small)) return terms_.number(small);
  std::array<Value, 2> args;
  for (std::size_t i = 0; i < expression.args.size(); ++i) {
    const auto arg = evaluate(expression.args[i], registers);
    if (!arg) return std::nullopt;
    args.at(i) = *arg;
  }
  return apply(static_cast<Function>(expression.function), {args.data(), expression.args.size()});
}

std::optional<Value> Arithmetic::number_of(Value value) const {
  if (value.is_wildcard()) return std::nullopt;
  if (!value.is_code() || terms_.is_number(value)) return value;
  return host_.evaluate(value);
}

std::optional<double> Arithmetic::real_of(Value value) const {
  if (value.is_integer()) return static_cast<double>(value.as_integer());
  if (value.is_real()) return value.as_real();
  const Term& term = terms_[value];
  return term.kind == TermKind::kReal ? std::optional(term.real) : std::nullopt;
}

Value Arithmetic::term(Value number) const {
  if (!number.is_code() || terms_[number].kind != TermKind::kReal || !std::isinf(terms_[number].real)) return number;
  const Value infinite = terms_.name("inf");
  return terms_[number].real > 0 ? infinite : terms_.compound(terms_.name("-"), {&infinite, 1});
}

std::optional<Value> Arithmetic::apply(Function function, std::span<const Value> args) const {
  const Value left = args[0];
  const Value right = args.size() > 1 ? args[1] : Value::integer(0);
  if (left.is_integer() && right.is_integer()) {
    if (const auto found = whole(function, left.as_integer(), right.as_integer())) {
      return found->is_nothing() ? std::nullopt : found;
    }
  } else if (const auto l = real_of(left), r = real_of(right); l && r) {
    if (const auto found = real(function, *l, *r)) return found->is_nothing() ? std::nullopt : found;
  }
  return host_.apply(static_cast<std::uint8_t>(function), args);
}

// Empty optional: the host must compute the result. Value::nothing(): the result has no value.
std::optional<Value> Arithmetic::whole(Function function, std::int64_t left, std::int64_t right) const {
  std::int64_t found = 0;
  switch (function) {
    case Function::kAdd:
      return terms_.integer(left + right);  // both have 62 bits
    case Function::kSubtract:
      return terms_.integer(left - right);
    case Function::kMultiply:
      if (__builtin_mul_overflow(left, right, &found)) return std::nullopt;
      return terms_.integer(found);
    case Function::kDivide:
      if (right == 0) return Value::nothing();
      if (left % right == 0) return terms_.integer(left / right);
      if (!is_exact(left) || !is_exact(right)) return std::nullopt;
      return terms_.number(static_cast<double>(left) / static_cast<double>(right));
    case Function::kIntegerDivide:
      return right == 0 ? Value::nothing() : terms_.integer(left / right);
    case Function::kFloorDivide:
      if (right == 0) return Value::nothing();
      return terms_.integer(left / right - static_cast<std::int64_t>(left % right != 0 && (left < 0) != (right < 0)));
    case Function::kModulo:
      if (right == 0) return Value::nothing();
      found = left % right;
      return terms_.integer(found != 0 && (found < 0) != (right < 0) ? found + right : found);
    case Function::kRemainder:
      return right == 0 ? Value::nothing() : terms_.integer(left % right);
    case Function::kMin:
      return terms_.integer(std::min(left, right));
    case Function::kMax:
      return terms_.integer(std::max(left, right));
    case Function::kNegate:
      return terms_.integer(-left);
    case Function::kAbs:
      return terms_.integer(left < 0 ? -left : left);
    case Function::kSign:
      return Value::integer(static_cast<int>(left > 0) - static_cast<int>(left < 0));
    case Function::kPlus:
    case Function::kFloor:
    case Function::kCeiling:
    case Function::kRound:
    case Function::kTruncate:
      return terms_.integer(left);
    case Function::kPower:
      return whole_power(left, right, found) ? std::optional(terms_.integer(found)) : std::nullopt;
    default:
      return real(function, static_cast<double>(left), static_cast<double>(right));
  }
}

std::optional<Value> Arithmetic::real(Function function, double left, double right) const {
  double found = 0;
  switch (function) {
    case Function::kAdd:
      found = left + right;
      break;
    case Function::kSubtract:
      found = left - right;
      break;
    case Function::kMultiply:
      found = left * right;
      break;
    case Function::kDivide:
      if (right == 0) return Value::nothing();
      found = left / right;
      break;
    case Function::kIntegerDivide:
      if (right == 0) return Value::nothing();
      found = truncating_divide(left, right);
      break;
    case Function::kFloorDivide:
      if (right == 0) return Value::nothing();
      found = floor_divide(left, right);
      break;
    case Function::kModulo:
      if (right == 0) return Value::nothing();
      found = modulo(left, right);
      break;
    case Function::kRemainder:
      if (right == 0) return Value::nothing();
      found = std::fmod(left, right);
      break;
    case Function::kNegate:
      found = -left;
      break;
    case Function::kPlus:
    case Function::kFloat:
      found = left;
      break;
    case Function::kAbs:
      found = std::fabs(left);
      break;
    case Function::kMin:
    case Function::kMax:
      // Larger integers may have been rounded: the host compares the exact values.
      if (std::fabs(left) >= kExact || std::fabs(right) >= kExact) return std::nullopt;
      found = function == Function::kMin ? std::min(left, right) : std::max(left, right);
      break;
    case Function::kSign:
      return Value::integer(static_cast<int>(left > 0) - static_cast<int>(left < 0));
    case Function::kFloor:
    case Function::kCeiling:
    case Function::kTruncate:
    case Function::kRound:
      if (!(std::fabs(left) < kExact)) return std::nullopt;
      found = function == Function::kFloor     ? std::floor(left)
              : function == Function::kCeiling ? std::ceil(left)
              : function == Function::kRound   ? std::round(left)
                                               : std::trunc(left);
      break;
    case Function::kPower:
      // The host handles operands and results that are not finite.
      found = std::pow(left, right);
      if (!std::isfinite(found) || !std::isfinite(left) || !std::isfinite(right)) return std::nullopt;
      break;
    case Function::kSqrt:
      found = std::sqrt(left);
      break;
    case Function::kExp:
      found = std::exp(left);
      break;
    case Function::kLog:
      found = left > 0 ? std::log(left) : std::nan("");
      break;
    case Function::kLog2:
      found = left > 0 ? std::log2(left) : std::nan("");
      break;
    case Function::kSin:
      found = std::sin(left);
      break;
    case Function::kCos:
      found = std::cos(left);
      break;
    case Function::kTan:
      found = std::tan(left);
      break;
    case Function::kAsin:
      found = std::asin(left);
      break;
    case Function::kAcos:
      found = std::acos(left);
      break;
    case Function::kAtan:
      found = std::atan(left);
      break;
    case Function::kAtan2:
      found = std::atan2(left, right);
      break;
    default:
      return std::nullopt;
  }
  if (std::isnan(found)) return Value::nothing();
  if (std::isinf(found) && !std::isinf(left) && !std::isinf(right)) return Value::nothing();
  return terms_.number(found);
}

bool Arithmetic::compare(Comparison comparison, Value left, Value right) const {
  int order = 0;
  const auto l = real_of(left);
  const auto r = real_of(right);
  if (left.is_integer() && right.is_integer()) {
    order = static_cast<int>(left.as_integer() > right.as_integer()) -
            static_cast<int>(left.as_integer() < right.as_integer());
  } else if (l && r && (!left.is_integer() || is_exact(left.as_integer())) &&
             (!right.is_integer() || is_exact(right.as_integer()))) {
    order = static_cast<int>(*l > *r) - static_cast<int>(*l < *r);
  } else {
    order = host_.compare(left, right);
  }
  return holds(comparison, order);
}

bool holds(Comparison comparison, int order) {
  switch (comparison) {
    case Comparison::kLess:
      return order < 0;
    case Comparison::kGreater:
      return order > 0;
    case Comparison::kAtMost:
      return order <= 0;
    case Comparison::kAtLeast:
      return order >= 0;
    case Comparison::kEqual:
      return order == 0;
    case Comparison::kUnequal:
      break;
  }
  return order != 0;
}

}  // namespace holdsfor
