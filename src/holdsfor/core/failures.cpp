#include "failures.h"

#include <utility>

namespace holdsfor {

void FailureLog::add(std::uint32_t site, std::span<const Value> row, std::uint32_t reason) {
  Row made{.values = {row.begin(), row.end()}, .reason = reason};
  const std::scoped_lock lock(mutex_);
  auto& rows = rows_[site];
  if (rows.size() < kMostRows) rows.insert(std::move(made));
}

std::unordered_map<std::uint32_t, std::vector<FailureLog::Row>> FailureLog::take() {
  decltype(rows_) taken;
  {
    const std::scoped_lock lock(mutex_);
    taken.swap(rows_);
  }
  std::unordered_map<std::uint32_t, std::vector<Row>> found;
  for (auto& [site, rows] : taken) found[site].assign(rows.begin(), rows.end());
  return found;
}

}  // namespace holdsfor
