#include "inputs.h"

#include <algorithm>

namespace holdsfor {
namespace {

std::vector<Value> cells_of(const RowSet& rows, std::size_t row) { return {rows.row(row), rows.row(row) + rows.width}; }

Effect effect_of(const Edit& edit, std::size_t row, std::size_t head) {
  const Value* cells = edit.rows.row(row);
  return {edit.table, edit.cause_of(row), {cells + head, cells + edit.rows.width}};
}

}  // namespace

Inputs::Inputs(const Plan& plan)
    : plan_(plan), events_(plan.tables.size()), waiting_(plan.tables.size()), pieces_(plan.tables.size()) {}

std::size_t Inputs::size() const {
  std::size_t found = 0;
  for (const auto& rows : events_) found += rows.size();
  for (const auto& rows : waiting_) found += rows.size();
  for (const auto& rows : pieces_) found += rows.size();
  return found;
}

std::vector<Effect> Inputs::advance(const Edits& edits, const Window& window, Time query) {
  std::vector<Effect> effects;
  // What was announced and lay between two windows never counts, and cannot be taken back any more.
  count_waiting(window, query, effects);
  for (const Edit& edit : edits.all()) {
    const bool is_event = plan_.tables[edit.table].is_event();
    if (edit.is_retraction) {
      is_event ? retract_events(edit, window, query, effects) : retract_intervals(edit, window, query, effects);
    } else {
      is_event ? insert_events(edit, window, query, effects) : insert_intervals(edit, window, query, effects);
    }
  }
  return effects;
}

void Inputs::count_waiting(const Window& window, Time query, std::vector<Effect>& effects) {
  for (Index table = 0; table < waiting_.size(); ++table) {
    auto& waiting = waiting_[table];
    std::size_t left = 0;
    for (Waiting& one : waiting) {
      const Time time = time_of(one.row[0]);
      if (time > query) {
        // To move something into itself would lose it.
        if (&waiting[left] != &one) waiting[left] = std::move(one);
        ++left;
      } else if (time >= window.first(query)) {
        effects.push_back({table, one.cause, {one.row.begin() + kEventHead, one.row.end()}});
        ++events_[table][std::move(one.row)];
      }
    }
    waiting.resize(left);
  }
}

void Inputs::insert_events(const Edit& edit, const Window& window, Time query, std::vector<Effect>& effects) {
  for (std::size_t row = 0; row < edit.rows.size(); ++row) {
    const Time time = time_of(edit.rows.row(row)[0]);
    if (time <= window.start) {
      ++late_;
    } else if (time > query) {
      waiting_[edit.table].push_back({edit.cause_of(row), cells_of(edit.rows, row)});
    } else if (time >= window.first(query)) {
      ++events_[edit.table][cells_of(edit.rows, row)];
      effects.push_back(effect_of(edit, row, kEventHead));
    } else {
      ++late_;
    }
  }
}

void Inputs::retract_events(const Edit& edit, const Window& window, Time query, std::vector<Effect>& effects) {
  auto& waiting = waiting_[edit.table];
  auto& events = events_[edit.table];
  for (std::size_t row = 0; row < edit.rows.size(); ++row) {
    const std::vector<Value> cells = cells_of(edit.rows, row);
    const auto known = events.find(cells);
    if (time_of(cells[0]) > query) {
      const auto one = std::find_if(waiting.begin(), waiting.end(), [&](const Waiting& w) { return w.row == cells; });
      if (one == waiting.end()) {
        ++unmatched_;
      } else {
        waiting.erase(one);
      }
    } else if (time_of(cells[0]) < window.first(query) || known == events.end()) {
      ++unmatched_;
    } else {
      if (--known->second == 0) events.erase(known);
      effects.push_back(effect_of(edit, row, kEventHead));
    }
  }
}

void Inputs::insert_intervals(const Edit& edit, const Window& window, Time query, std::vector<Effect>& effects) {
  const Time first = window.first(query);
  for (std::size_t row = 0; row < edit.rows.size(); ++row) {
    const Value* cells = edit.rows.row(row);
    const Time start = time_of(cells[0]);
    const Time end = time_of(cells[1]);
    const bool is_point = edit.is_point[row];
    if (end <= start) continue;
    if (end <= first || (is_point && start < first)) {
      ++late_;
      continue;
    }
    Piece piece{.start = std::max(start, first),
                .end = end,
                .pair = {cells + 2, cells + edit.rows.width},
                .is_cut = start < first,
                .is_point = is_point,
                .pushed_start = start};
    pieces_[edit.table].push_back(std::move(piece));
    effects.push_back(effect_of(edit, row, kIntervalHead));
  }
}

void Inputs::retract_intervals(const Edit& edit, const Window& window, Time query, std::vector<Effect>& effects) {
  const Time first = window.first(query);
  auto& pieces = pieces_[edit.table];
  for (std::size_t row = 0; row < edit.rows.size(); ++row) {
    const Value* cells = edit.rows.row(row);
    const auto found = std::find_if(pieces.begin(), pieces.end(), [&](const Piece& piece) {
      return !piece.is_settled && piece.pushed_start == time_of(cells[0]) && piece.end == time_of(cells[1]) &&
             piece.is_point == edit.is_point[row] &&
             std::equal(piece.pair.begin(), piece.pair.end(), cells + 2, cells + edit.rows.width);
    });
    if (found == pieces.end() || found->end <= first || (found->is_point && found->start < first)) {
      ++unmatched_;
      continue;
    }
    if (found->start < first) {
      // What the window has left behind stays.
      found->end = first;
      found->is_settled = true;
    } else {
      pieces.erase(found);
    }
    effects.push_back(effect_of(edit, row, kIntervalHead));
  }
}

void Inputs::fill(Time query, std::vector<RowSet>& rows, std::vector<RowSet>& cuts) const {
  for (Index table = 0; table < plan_.tables.size(); ++table) {
    rows[table].cells.clear();
    cuts[table].cells.clear();
    for (const auto& [row, count] : events_[table]) {
      rows[table].cells.insert(rows[table].cells.end(), row.begin(), row.end());
    }
    for (const Piece& piece : pieces_[table]) {
      const Time end = piece.is_point && piece.start == query ? kForever : piece.end;
      rows[table].cells.push_back(time_cell(piece.start));
      rows[table].cells.push_back(time_cell(end));
      rows[table].cells.insert(rows[table].cells.end(), piece.pair.begin(), piece.pair.end());
      if (!piece.is_cut) continue;
      cuts[table].cells.push_back(time_cell(piece.start));
      cuts[table].cells.insert(cuts[table].cells.end(), piece.pair.begin(), piece.pair.end());
    }
  }
}

}  // namespace holdsfor
