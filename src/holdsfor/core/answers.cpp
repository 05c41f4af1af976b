#include "answers.h"

#include <algorithm>
#include <utility>

#include "crew.h"

namespace holdsfor {
namespace {

// Some keys of a stage, whose rows one thread writes. The first pass counts the rows of each table, the second writes
// them to their positions.
struct KeyRange {
  const StageStore* stage = nullptr;
  Index begin = 0;
  Index end = 0;
  std::vector<std::size_t> rows;  // by table: the number of rows, later the position of the next row
};

// Keys in a range that one thread processes.
constexpr std::size_t kKeysAtOnce = 4096;

std::vector<KeyRange> key_ranges(std::span<const StageStore> stages, std::size_t tables) {
  std::vector<KeyRange> found;
  for (const StageStore& stage : stages) {
    for (std::size_t begin = 0; begin < stage.slots(); begin += kKeysAtOnce) {
      const std::size_t end = std::min<std::size_t>(begin + kKeysAtOnce, stage.slots());
      found.push_back({.stage = &stage,
                       .begin = static_cast<Index>(begin),
                       .end = static_cast<Index>(end),
                       .rows = std::vector<std::size_t>(tables)});
    }
  }
  return found;
}

// Calls `add` for every visible row.
template <typename Add>
void each_shown(const KeyRange& range, Time low, const Add& add) {
  // Prefetch distance in keys, and cells of a key that are prefetched at most.
  constexpr Index kAhead = 6;
  constexpr std::size_t kCellsAhead = 64;
  for (Index slot = range.begin; slot < range.end; ++slot) {
    // Prefetch results of later keys, because results are scattered in memory.
    if (slot + kAhead < range.end) {
      const Results& later = range.stage->state(slot + kAhead).results;
      for (std::size_t at = 0; at < later.size() && at < kCellsAhead; at += 8) __builtin_prefetch(later.data() + at);
    }
    const Results& results = range.stage->state(slot).results;
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

void write_row(AnswerColumns& columns, std::size_t place, ResultHead head, const Value* row) {
  columns.starts.cells[place] = time_of(row[1]);
  const Value* args = row + 2;
  if (head.kind == ResultKind::kInterval) {
    columns.ends.cells[place] = time_of(row[2]);
    columns.values.cells[place] = row[3].word();
    args = row + 4;
  }
  const auto width = static_cast<std::size_t>(row + head.width - args);
  for (std::size_t i = 0; i < width; ++i) columns.words.cells[place * width + i] = args[i].word();
}

AnswerColumns columns_for(const TableInfo& table, std::size_t rows) {
  AnswerColumns found;
  found.starts = SizedColumn<std::int64_t>(rows);
  found.words = SizedColumn<std::uint64_t>(rows * table.columns);
  if (table.is_event()) return found;
  found.ends = SizedColumn<std::int64_t>(rows);
  found.values = SizedColumn<std::uint64_t>(rows);
  return found;
}

}  // namespace

AnswerColumns Answers::take(Index table, const Plan& plan, std::span<const StageStore> stages, Time low,
                            unsigned threads) {
  if (tables_.empty() || !tables_.at(table)) find(plan, stages, low, threads);
  return std::exchange(tables_.at(table), std::nullopt).value();
}

void Answers::find(const Plan& plan, std::span<const StageStore> stages, Time low, unsigned threads) {
  std::vector<KeyRange> ranges = key_ranges(stages, plan.tables.size());
  // Few keys finish before a thread has started.
  const unsigned wanted = ranges.size() < 2 * stages.size() ? 1 : threads;
  std::atomic<bool> is_stopped = false;
  const auto each_range = [&](const auto& work) {
    do_all(ranges.size(), wanted, [&](unsigned, std::size_t number) { work(ranges[number]); }, [] {}, is_stopped);
  };
  each_range([&](KeyRange& range) {
    each_shown(range, low, [&](ResultHead head, const Value*) { ++range.rows[head.table]; });
  });
  tables_.clear();
  for (std::size_t table = 0; table < plan.tables.size(); ++table) {
    std::size_t place = 0;
    for (KeyRange& range : ranges) place += std::exchange(range.rows[table], place);
    tables_.emplace_back(columns_for(plan.tables[table], place));
  }
  each_range([&](KeyRange& range) {
    each_shown(range, low, [&](ResultHead head, const Value* row) {
      write_row(*tables_[head.table], range.rows[head.table]++, head, row);
    });
  });
}

}  // namespace holdsfor
