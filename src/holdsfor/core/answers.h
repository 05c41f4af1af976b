// Collects the results of all keys that are visible at a query time, as columns: derived events, and intervals that
// reach into the window.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "stage_store.h"

namespace holdsfor {

// A column whose size is known before several threads fill it.
template <typename T>
struct SizedColumn {
  std::unique_ptr<T[]> cells;
  std::size_t size = 0;

  SizedColumn() = default;
  explicit SizedColumn(std::size_t count) : cells(std::make_unique_for_overwrite<T[]>(count)), size(count) {}
};

// Rows of one table. For events, `ends` and `values` are empty.
struct AnswerColumns {
  SizedColumn<std::int64_t> starts;
  SizedColumn<std::int64_t> ends;
  SizedColumn<std::uint64_t> values;
  SizedColumn<std::uint64_t> words;  // of the arguments, row by row
};

class Answers {
 public:
  // Drops the columns: the results have changed.
  void reset() { tables_.clear(); }
  // Gives away the rows of a table, ordered by key. The first call collects all tables at once.
  AnswerColumns take(Index table, const Plan& plan, std::span<const StageStore> stages, Time low, unsigned threads);

 private:
  void find(const Plan& plan, std::span<const StageStore> stages, Time low, unsigned threads);

  std::vector<std::optional<AnswerColumns>> tables_;
};

}  // namespace holdsfor
