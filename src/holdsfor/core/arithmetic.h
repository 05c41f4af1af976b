// Arithmetic on values. Integers are exact: the host computes integers that do not fit into a word.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "calendar.h"
#include "host.h"
#include "plan.h"
#include "terms.h"

namespace holdsfor {

enum class Function : std::uint8_t {
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kIntegerDivide,
  kFloorDivide,
  kModulo,
  kRemainder,
  kPower,
  kMin,
  kMax,
  kNegate,
  kPlus,
  kAbs,
  kSign,
  kFloor,
  kCeiling,
  kRound,
  kTruncate,
  kFloat,
  kSqrt,
  kExp,
  kLog,
  kLog2,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kAtan2,
};

// The function with a name and an arity.
std::optional<Function> function_of(std::string_view name, std::size_t arity);

class Arithmetic {
 public:
  Arithmetic(TermTable& terms, Host& host) : terms_(terms), host_(host), calendar_(host) {}

  // The value of an expression, or nothing if it has none.
  std::optional<Value> evaluate(const Expression& expression, std::span<const Value> registers) const;
  // Whether a comparison of two numbers holds.
  [[nodiscard]] bool compare(Comparison comparison, Value left, Value right) const;
  // A computed number as a term of rules. Infinity becomes the name `inf`.
  [[nodiscard]] Value term(Value number) const;
  // The number that a term denotes.
  [[nodiscard]] std::optional<Value> number_of(Value value) const;
  [[nodiscard]] std::optional<Value> apply(Function function, std::span<const Value> args) const;

 private:
  [[nodiscard]] std::optional<double> real_of(Value value) const;
  [[nodiscard]] std::optional<Value> whole(Function function, std::int64_t left, std::int64_t right) const;
  [[nodiscard]] std::optional<Value> real(Function function, double left, double right) const;

  TermTable& terms_;
  Host& host_;
  mutable Calendar calendar_;
};

// Whether a comparison holds, given the order of two values: negative, zero or positive.
bool holds(Comparison comparison, int order);
// Whether a comparison holds for two numbers.
inline bool holds(Comparison comparison, double left, double right) {
  switch (comparison) {
    case Comparison::kLess:
      return left < right;
    case Comparison::kGreater:
      return left > right;
    case Comparison::kAtMost:
      return left <= right;
    case Comparison::kAtLeast:
      return left >= right;
    case Comparison::kEqual:
      return left == right;
    case Comparison::kUnequal:
      break;
  }
  return left != right;
}

}  // namespace holdsfor
