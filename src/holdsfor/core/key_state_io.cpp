#include "key_state_io.h"

#include <algorithm>

#include "reports.h"

namespace holdsfor {
namespace {

constexpr const char* kWrongRow = "the saved state is damaged: a row does not fit its table";

}  // namespace

// Events: times, heads and arguments.

void write_log(StateWriter& into, const Log& log, const LogWidths& widths) {
  const auto cells = log.cells();
  into.put(log.rows(widths));
  for (std::size_t at = 0; at < cells.size();) {
    const std::size_t width = widths.of(&cells[at]);
    into.put(cells[at].word());
    into.put(cells[at + 1].word());
    into.put_values(cells.subspan(at + kLogHead, width - kLogHead));
    at += width;
  }
}

void read_log(StateReader& from, Log& log, const Plan& plan) {
  const std::size_t rows = from.get_count(2);
  std::vector<Value> cells;
  std::size_t last = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const Time before = cells.empty() ? kNever : time_of(cells[last]);
    last = cells.size();
    cells.push_back(Value::from_word(from.get()));
    const RowHead head = RowHead::from(Value::from_word(from.get()));
    if (head.table >= plan.tables.size() || !plan.tables[head.table].is_event() || time_of(cells[last]) < before) {
      StateReader::refuse(kWrongRow);
    }
    cells.push_back(RowHead{.table = head.table, .passes = head.passes}.word());
    from.get_values(plan.tables[head.table].columns, cells);
  }
  log.replace(0, 0, cells, last);
}

void write_intervals(StateWriter& into, const IntervalLog& log) {
  const auto& cells = log.cells();
  into.put(log.size());
  for (std::size_t at = 0; at < cells.size();) {
    const std::size_t width = interval_head(&cells[at]).width;
    for (std::size_t i = 0; i < 4; ++i) into.put(cells[at + i].word());
    into.put_values(std::span(cells).subspan(at + 4, width - 4));
    at += width;
  }
}

void read_intervals(StateReader& from, IntervalLog& log, const Plan& plan) {
  const std::size_t rows = from.get_count(kIntervalRowHead);
  std::vector<Value> row;
  for (std::size_t i = 0; i < rows; ++i) {
    row.clear();
    for (std::size_t word = 0; word < 4; ++word) row.push_back(Value::from_word(from.get()));
    const IntervalHead head = interval_head(row.data());
    const bool fits = head.table < plan.tables.size() && !plan.tables[head.table].is_event() &&
                      head.width == plan.tables[head.table].columns + kIntervalRowHead;
    if (!fits) StateReader::refuse(kWrongRow);
    from.get_values(head.width - std::size_t{4}, row);
    log.insert(row);
  }
}

namespace {

void write_effects(StateWriter& into, const EffectLog* log) {
  into.put(log == nullptr ? 0 : log->entries().size());
  if (log == nullptr) return;
  for (const EffectLog::Entry& entry : log->entries()) {
    into.put(entry.table);
    into.put(entry.is_termination ? 1 : 0);
    into.put(entry.rows.size());
    for (std::size_t row = 0; row < entry.rows.size(); ++row) {
      into.put(entry.rows.row(row)[0].word());
      into.put_values({entry.rows.row(row) + 1, entry.rows.width - 1});
    }
  }
}

std::unique_ptr<EffectLog> read_effects(StateReader& from, const Plan& plan) {
  const std::size_t entries = from.get_count(3);
  if (entries == 0) return nullptr;
  auto log = std::make_unique<EffectLog>();
  std::vector<Value> row;
  for (std::size_t entry = 0; entry < entries; ++entry) {
    const auto table = static_cast<Index>(from.get_below(plan.tables.size()));
    const bool is_termination = from.get_below(2) == 1;
    const std::size_t rows = from.get_count(2);
    for (std::size_t i = 0; i < rows; ++i) {
      row.assign(1, Value::from_word(from.get()));
      from.get_values(plan.tables[table].columns + std::size_t{1}, row);
      log->insert(table, is_termination, row);
    }
  }
  return log;
}

// The number of cells of a result before its terms.
std::size_t plain_cells(ResultKind kind) { return kind == ResultKind::kInterval ? 3 : 2; }

void write_results(StateWriter& into, const Results& results) {
  into.put(results.size());
  for (std::size_t at = 0; at < results.size();) {
    const ResultHead head = result_head(&results[at]);
    const std::size_t plain = plain_cells(head.kind);
    for (std::size_t i = 0; i < plain; ++i) into.put(results[at + i].word());
    into.put_values(std::span(results).subspan(at + plain, head.width - plain));
    at += head.width;
  }
}

void read_results(StateReader& from, Results& results, const Plan& plan) {
  const std::size_t size = from.get_count(1);
  while (results.size() < size) {
    const std::size_t at = results.size();
    results.push_back(Value::from_word(from.get()));
    const ResultHead head = result_head(&results[at]);
    if (head.table >= plan.tables.size() || head.kind > ResultKind::kConflict) StateReader::refuse(kWrongRow);
    const TableInfo& table = plan.tables[head.table];
    const bool is_effect = head.kind == ResultKind::kInitiation || head.kind == ResultKind::kTermination;
    const std::size_t plain = plain_cells(head.kind);
    const std::size_t values = table.columns + (is_effect || head.kind == ResultKind::kInterval ? 1U : 0U);
    const bool fits = head.width == plain + values && at + head.width <= size &&
                      table.is_event() == (head.kind == ResultKind::kEvent);
    if (!fits) StateReader::refuse(kWrongRow);
    for (std::size_t i = 1; i < plain; ++i) results.push_back(Value::from_word(from.get()));
    from.get_values(values, results);
  }
}

void write_checkpoint(StateWriter& into, const Checkpoint& checkpoint) {
  into.put_time(checkpoint.time);
  into.put(checkpoint.words.size());
  if (checkpoint.words.empty()) return;
  const std::vector<std::size_t> terms = terms_in(checkpoint);
  // The words that describe other words come first, so that the reader knows which words are terms.
  const std::size_t count = checkpoint.words.back();
  for (std::size_t at = count; at < checkpoint.words.size(); ++at) into.put(checkpoint.words[at]);
  auto next = terms.begin();
  for (std::size_t at = 0; at < count; ++at) {
    if (next != terms.end() && *next == at) {
      into.put_value(Value::from_word(checkpoint.words[at]));
      ++next;
    } else {
      into.put(checkpoint.words[at]);
    }
  }
}

Checkpoint read_checkpoint(StateReader& from) {
  Checkpoint found;
  found.time = from.get_time();
  const std::size_t size = from.get_count(1);
  if (size == 0) return found;
  found.words.resize(size);
  // Of n words, the last ceil(n / 65) and one more describe the others.
  std::size_t count = size - 1;
  while (count > 0 && count + (count + 63) / 64 + 1 > size) --count;
  for (std::size_t at = count; at < size; ++at) found.words[at] = from.get();
  if (found.words.back() != count) StateReader::refuse("the saved state is damaged: a checkpoint has no end");
  const std::vector<std::size_t> terms = terms_in(found);
  auto next = terms.begin();
  for (std::size_t at = 0; at < count; ++at) {
    const bool is_term = next != terms.end() && *next == at;
    found.words[at] = is_term ? from.get_value().word() : from.get();
    if (is_term) ++next;
  }
  return found;
}

void write_reported(StateWriter& into, const std::vector<Value>& reported) {
  into.put(reported.size());
  for (std::size_t at = 0; at < reported.size();) {
    const auto head = std::bit_cast<ReportedHead>(reported[at].word());
    into.put(reported[at++].word());
    into.put_values(std::span(reported).subspan(at, head.columns + std::size_t{1}));
    at += head.columns + std::size_t{1};
    for (std::size_t i = 0; i < head.count * kReportedWords; ++i) into.put(reported[at++].word());
  }
}

void read_reported(StateReader& from, std::vector<Value>& reported, const Plan& plan) {
  const std::size_t size = from.get_count(1);
  while (reported.size() < size) {
    const std::size_t left = size - reported.size();
    reported.push_back(Value::from_word(from.get()));
    const auto head = std::bit_cast<ReportedHead>(reported.back().word());
    const std::size_t width = std::size_t{2} + head.columns + std::size_t{head.count} * kReportedWords;
    const bool fits =
        head.table < plan.tables.size() && head.columns == plan.tables[head.table].columns && width <= left;
    if (!fits) StateReader::refuse(kWrongRow);
    from.get_values(head.columns + std::size_t{1}, reported);
    for (std::size_t i = 0; i < head.count * kReportedWords; ++i) reported.push_back(Value::from_word(from.get()));
  }
}

}  // namespace

void write_state(StateWriter& into, const KeyState& state, const LogWidths& widths) {
  write_log(into, state.log, widths);
  write_intervals(into, state.intervals);
  write_effects(into, state.effects.get());
  write_checkpoint(into, state.base);
  write_results(into, state.results);
  write_reported(into, state.reported);
  write_results(into, state.unreported ? *state.unreported : Results{});
  into.put_time(state.wake);
  into.put_time(state.own_wake);
  into.put(state.interval_cells);
}

KeyState read_state(StateReader& from, const Plan& plan, const LogWidths& /*widths*/) {
  KeyState state;
  read_log(from, state.log, plan);
  read_intervals(from, state.intervals, plan);
  state.effects = read_effects(from, plan);
  state.base = read_checkpoint(from);
  read_results(from, state.results, plan);
  read_reported(from, state.reported, plan);
  Results unreported;
  read_results(from, unreported, plan);
  if (!unreported.empty()) state.unreported = std::make_unique<Results>(std::move(unreported));
  state.wake = from.get_time();
  state.own_wake = from.get_time();
  state.interval_cells = static_cast<std::uint32_t>(from.get_below(UINT32_MAX));
  return state;
}

}  // namespace holdsfor
