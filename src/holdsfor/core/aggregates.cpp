#include "aggregates.h"

#include <algorithm>
#include <array>
#include <vector>

#include "exact_sum.h"

namespace holdsfor {
namespace {

// If a float equals an integer, the float is smaller, as in the standard order of terms.
bool comes_before(Value one, Value other, const Arithmetic& arithmetic) {
  if (arithmetic.compare(Comparison::kLess, one, other)) return true;
  return !one.is_integer() && other.is_integer() && arithmetic.compare(Comparison::kEqual, one, other);
}

std::optional<Value> exact_sum(std::span<const Value> items, TermTable& terms) {
  ExactSum sum;
  for (const Value item : items) sum.add(item, terms);
  return sum.value(terms);
}

}  // namespace

bool is_better(Aggregate kind, Value one, Value other, const Arithmetic& arithmetic) {
  return kind == Aggregate::kLeast ? comes_before(one, other, arithmetic) : comes_before(other, one, arithmetic);
}

std::optional<Value> mean(Value sum, std::size_t count, const Arithmetic& arithmetic) {
  return arithmetic.apply(Function::kDivide, std::array{sum, Value::integer(static_cast<std::int64_t>(count))});
}

std::optional<Value> aggregate(Aggregate kind, std::span<const Value> items, const Arithmetic& arithmetic,
                               TermTable& terms, Host& host) {
  if (kind == Aggregate::kCount) return Value::integer(static_cast<std::int64_t>(items.size()));
  if (kind == Aggregate::kDistinct) {
    std::vector<std::uint64_t> words;
    for (const Value item : items) words.push_back(item.word());
    std::sort(words.begin(), words.end());
    return Value::integer(std::unique(words.begin(), words.end()) - words.begin());
  }
  const auto by_host = [&] { return host.aggregate(static_cast<std::uint8_t>(kind), items); };
  const bool are_numbers = std::all_of(items.begin(), items.end(), [&](Value item) { return terms.is_number(item); });
  if (!are_numbers) return by_host();
  if (kind == Aggregate::kSum || kind == Aggregate::kAverage) {
    const auto sum = exact_sum(items, terms);
    if (!sum) return by_host();
    return kind == Aggregate::kSum ? sum : mean(*sum, items.size(), arithmetic);
  }
  return *std::min_element(items.begin(), items.end(),
                           [&](Value one, Value other) { return is_better(kind, one, other, arithmetic); });
}

}  // namespace holdsfor
