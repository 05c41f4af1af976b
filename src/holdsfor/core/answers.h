// The results of all keys that are shown at a query time, as columns: derived events, or intervals that reach into the
// window.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "stage_store.h"

namespace holdsfor {

// Rows of one table. Events have neither ends nor values.
struct AnswerColumns {
  std::vector<std::int64_t> starts;
  std::vector<std::int64_t> ends;
  std::vector<std::uint64_t> values;
  std::vector<std::uint64_t> words;  // of the arguments, row by row
};

class Answers {
 public:
  // Forgets what was found: something has changed.
  void reset() { tables_.clear(); }
  // The rows of a table, which are given away. All tables are found at once, when the first of them is wanted.
  AnswerColumns take(Index table, const Plan& plan, std::span<const StageStore> stages, Time low);

 private:
  void find(const Plan& plan, std::span<const StageStore> stages, Time low);

  std::vector<std::optional<AnswerColumns>> tables_;
};

}  // namespace holdsfor
