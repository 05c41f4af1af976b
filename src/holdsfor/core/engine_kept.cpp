// Lists what an engine keeps of a table, key by key, to verify the bounds that the plan promises
// (holdsfor/physical/certificate.py).
#include <algorithm>

#include "engine.h"
#include "stage_shared.h"

namespace holdsfor {
namespace {

// Values of partial keys get pseudo slots; this is the first one.
constexpr Index kFirstValue = Index{1} << 31U;

// Collects rows: stage, slot, start, end, value and arguments.
class KeptRows {
 public:
  KeptRows(Index table, std::size_t columns) : table_(table), rows_{kKeptHead + columns, {}} {}

  void begin(Index stage, Index slot) {
    stage_ = stage;
    slot_ = slot;
  }
  void add(Time start, Time end, Value value, std::span<const Value> columns) {
    auto& cells = rows_.cells;
    for (const Index number : {stage_, slot_}) cells.push_back(Value::from_word(number));
    cells.push_back(time_cell(start));
    cells.push_back(time_cell(end));
    cells.push_back(value);
    cells.insert(cells.end(), columns.begin(), columns.end());
  }
  void add_log(const Log& log, const LogWidths& widths) {
    const auto cells = log.cells();
    for (std::size_t at = 0; at < cells.size();) {
      const std::size_t width = widths.of(&cells[at]);
      const Time time = time_of(cells[at]);
      if (RowHead::from(cells[at + 1]).table == table_) {
        add(time, time, Value::nothing(), cells.subspan(at + kLogHead, width - kLogHead));
      }
      at += width;
    }
  }
  void add_intervals(const IntervalLog& log) {
    const auto& cells = log.cells();
    for (std::size_t at = 0; at < cells.size();) {
      const IntervalHead head = interval_head(&cells[at]);
      if (head.table == table_) {
        add(time_of(cells[at + 1]), time_of(cells[at + 2]), cells[at + 4],
            std::span(cells).subspan(at + kIntervalRowHead, head.width - kIntervalRowHead));
      }
      at += head.width;
    }
  }
  // Initiations and terminations count as time-points of their pair.
  void add_effects(const EffectLog* log) {
    if (log == nullptr) return;
    for (const EffectLog::Entry& entry : log->entries()) {
      for (std::size_t row = 0; entry.table == table_ && row < entry.rows.size(); ++row)
        add_effect(entry.rows.row(row));
    }
  }
  // Adds results that the checkpoint does not contain.
  void add_results(const Results& results, Time settled) {
    for (std::size_t at = 0; at < results.size();) {
      const ResultHead head = result_head(&results[at]);
      const Value* row = &results[at] + 1;
      if (head.table == table_ && time_of(row[0]) > settled) add_result(head, row);
      at += head.width;
    }
  }
  // Adds the content of a checkpoint at `until`. Everything after it is in the results.
  void add_fluent(const FluentTable& fluent, Time until) {
    for (Index number = 0; number < fluent.pair_count; ++number) {
      const Pair& pair = fluent.pairs[number];
      for (const Interval& one : pair.list) {
        if (one.start <= until) add(one.start, std::min(one.end, until + 1), pair.value, fluent.columns(pair.instance));
      }
    }
    for (const EventTable* effects : {&fluent.initiations, &fluent.terminations}) {
      for (std::size_t row = 0; row < effects->size() && effects->time(row) <= until; ++row) {
        const auto pair = effects->row(row);
        add(effects->time(row), effects->time(row) + 1, pair.back(), pair.first(pair.size() - 1));
      }
    }
  }
  void add_events(const EventTable& events, Time until) {
    for (std::size_t row = 0; row < events.size() && events.time(row) <= until; ++row) {
      add(events.time(row), events.time(row), Value::nothing(), events.row(row));
    }
  }
  [[nodiscard]] RowSet take() { return std::move(rows_); }

 private:
  void add_effect(const Value* row) {
    const std::size_t columns = rows_.width - kKeptHead;
    add(time_of(row[0]), time_of(row[0]) + 1, row[columns + 1], {row + 1, columns});
  }
  void add_result(ResultHead head, const Value* row) {
    const std::size_t columns = rows_.width - kKeptHead;
    if (head.kind == ResultKind::kInterval) {
      add(time_of(row[0]), time_of(row[1]), row[2], {row + 3, columns});
    } else if (head.kind == ResultKind::kEvent) {
      add(time_of(row[0]), time_of(row[0]), Value::nothing(), {row + 1, columns});
    } else if (head.kind != ResultKind::kConflict) {
      add_effect(row);
    }
  }

  Index table_;
  Index stage_ = 0;
  Index slot_ = 0;
  RowSet rows_;
};

}  // namespace

RowSet Engine::kept(Index table) {
  const TableInfo& info = prepared_.plan.tables.at(table);
  KeptRows found(table, info.columns);
  for (StageStore& stage : stages_) {
    const Index number = stage.number();
    const bool has_checkpoint = is_member_[number][table] && !info.recomputed;
    evaluator(0).begin(stage, window_, query_, {is_stopped_, nullptr}, {});
    if (const KeyState* shared = stage.shared_state()) {
      found.begin(number, kNone);
      found.add_log(shared->log, widths_);
      found.add_intervals(shared->intervals);
      found.add_effects(shared->effects.get());
    }
    if (stage.parts() != nullptr) {
      stage.parts()->for_rows([&](Index value, const Log& log, const IntervalLog& intervals) {
        found.begin(number, kFirstValue + value);
        found.add_log(log, widths_);
        found.add_intervals(intervals);
      });
    }
    for (Index slot = 0; slot < stage.slots(); ++slot) {
      const KeyState& state = stage.state(slot);
      found.begin(number, slot);
      found.add_log(state.log, widths_);
      found.add_intervals(state.intervals);
      found.add_effects(state.effects.get());
      found.add_results(state.results, state.base.time);
      if (!has_checkpoint) continue;
      const auto add = [&](const Checkpoint& checkpoint) {
        const World& world = evaluator(0).at_checkpoint(stage, slot, checkpoint);
        if (info.is_event()) {
          found.add_events(world.events[table], checkpoint.time);
        } else {
          found.add_fluent(world.fluents[table], checkpoint.time);
        }
      };
      if (state.base.time != kNever) add(state.base);
      for (const LaterCheckpoint& later : state.later) add(later.checkpoint);
    }
  }
  return found.take();
}

}  // namespace holdsfor
