#include "answers.h"

#include <utility>

namespace holdsfor {
namespace {

// Calls `add` for every row that is shown.
template <typename Add>
void each_shown(std::span<const StageStore> stages, Time low, const Add& add) {
  constexpr std::size_t kAhead = 6;
  constexpr std::size_t kCellsAhead = 64;
  for (const StageStore& stage : stages) {
    for (Index slot = 0; slot < stage.slots(); ++slot) {
      // Those of some keys later are fetched meanwhile: they stand all over the memory.
      if (slot + kAhead < stage.slots()) {
        const Results& later = stage.state(static_cast<Index>(slot + kAhead)).results;
        for (std::size_t at = 0; at < later.size() && at < kCellsAhead; at += 8) __builtin_prefetch(later.data() + at);
      }
      const Results& results = stage.state(slot).results;
      const Value* const end = results.data() + results.size();
      for (const Value* row = results.data(); row != end;) {
        const ResultHead head = result_head(row);
        const bool is_shown = head.kind == ResultKind::kInterval
                                  ? reaches_into_window(time_of(row[2]), low)
                                  : head.kind == ResultKind::kEvent && time_of(row[1]) > low;
        if (is_shown) add(head, row);
        row += head.width;
      }
    }
  }
}

}  // namespace

AnswerColumns Answers::take(Index table, const Plan& plan, std::span<const StageStore> stages, Time low) {
  if (tables_.empty() || !tables_.at(table)) find(plan, stages, low);
  return std::exchange(tables_.at(table), std::nullopt).value();
}

void Answers::find(const Plan& plan, std::span<const StageStore> stages, Time low) {
  std::vector<std::size_t> counts(plan.tables.size());
  each_shown(stages, low, [&](ResultHead head, const Value*) { ++counts[head.table]; });
  tables_.assign(plan.tables.size(), AnswerColumns{});
  for (std::size_t table = 0; table < counts.size(); ++table) {
    AnswerColumns& columns = *tables_[table];
    columns.starts.reserve(counts[table]);
    columns.words.reserve(counts[table] * plan.tables[table].columns);
    if (plan.tables[table].is_event()) continue;
    columns.ends.reserve(counts[table]);
    columns.values.reserve(counts[table]);
  }
  each_shown(stages, low, [&](ResultHead head, const Value* row) {
    AnswerColumns& columns = *tables_[head.table];
    columns.starts.push_back(time_of(row[1]));
    const Value* args = row + 2;
    if (head.kind == ResultKind::kInterval) {
      columns.ends.push_back(time_of(row[2]));
      columns.values.push_back(row[3].word());
      args = row + 4;
    }
    for (; args != row + head.width; ++args) columns.words.push_back(args->word());
  });
}

}  // namespace holdsfor
