// The results of all keys that are shown at a query time, as columns: derived events, or intervals that reach into the
// window.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "stage_store.h"

namespace holdsfor {

// A column that is filled after its size is known, by several threads.
template <typename T>
struct SizedColumn {
  std::unique_ptr<T[]> cells;
  std::size_t size = 0;

  SizedColumn() = default;
  explicit SizedColumn(std::size_t count) : cells(std::make_unique_for_overwrite<T[]>(count)), size(count) {}
};

// Rows of one table. Events have neither ends nor values.
struct AnswerColumns {
  SizedColumn<std::int64_t> starts;
  SizedColumn<std::int64_t> ends;
  SizedColumn<std::uint64_t> values;
  SizedColumn<std::uint64_t> words;  // of the arguments, row by row
};

class Answers {
 public:
  // Forgets what was found: something has changed.
  void reset() { tables_.clear(); }
  // The rows of a table in the order of keys, which are given away. All tables are found at once, when the first of
  // them is wanted.
  AnswerColumns take(Index table, const Plan& plan, std::span<const StageStore> stages, Time low, unsigned threads);

 private:
  void find(const Plan& plan, std::span<const StageStore> stages, Time low, unsigned threads);

  std::vector<std::optional<AnswerColumns>> tables_;
};

}  // namespace holdsfor
