#include "aggregates.h"

#include <algorithm>
#include <array>
#include <vector>

namespace holdsfor {
namespace {

std::optional<std::int64_t> sum(std::span<const Value> items) {
  std::int64_t found = 0;
  for (const Value item : items) {
    if (__builtin_add_overflow(found, item.as_integer(), &found)) return std::nullopt;
  }
  return Value::fits(found) ? std::optional(found) : std::nullopt;
}

}  // namespace

std::optional<Value> aggregate(Aggregate kind, std::span<const Value> items, const Arithmetic& arithmetic, Host& host) {
  const auto count = static_cast<std::int64_t>(items.size());
  if (kind == Aggregate::kCount) return Value::integer(count);
  if (kind == Aggregate::kDistinct) {
    std::vector<std::uint64_t> words;
    for (const Value item : items) words.push_back(item.word());
    std::sort(words.begin(), words.end());
    return Value::integer(std::unique(words.begin(), words.end()) - words.begin());
  }
  const bool is_whole = std::all_of(items.begin(), items.end(), [](Value item) { return item.is_integer(); });
  const auto total = is_whole ? sum(items) : std::nullopt;
  if (!total) return host.aggregate(static_cast<std::uint8_t>(kind), items);
  const auto less = [](Value a, Value b) { return a.as_integer() < b.as_integer(); };
  switch (kind) {
    case Aggregate::kSum:
      return Value::integer(*total);
    case Aggregate::kLeast:
      return *std::min_element(items.begin(), items.end(), less);
    case Aggregate::kGreatest:
      return *std::max_element(items.begin(), items.end(), less);
    default:
      return arithmetic.apply(Function::kDivide, std::array{Value::integer(*total), Value::integer(count)});
  }
}

}  // namespace holdsfor
