#include "edits.h"

namespace holdsfor {

void Edits::add_events(Index table, bool is_retraction, Cause cause, EventRows rows) {
  if (rows.size() > 0) begin(table, is_retraction, cause).events = std::move(rows);
}

Edit& Edits::edit_for_event(Index table, bool is_retraction, Cause cause, std::size_t columns) {
  Edit* last = going_on(table, is_retraction, cause);
  if (last != nullptr && !last->events.is_borrowed()) return *last;
  Edit& made = begin(table, is_retraction, cause);
  made.events = EventRows(columns);
  return made;
}

void Edits::add_intervals(Index table, bool is_retraction, Cause cause, const IntervalColumns& columns,
                          std::size_t width) {
  if (columns.size == 0) return;
  Edit* last = going_on(table, is_retraction, cause);
  RowSet& rows = (last != nullptr ? *last : begin(table, is_retraction, cause)).intervals;
  rows.width = width + kIntervalRowHead;
  const std::size_t before = rows.cells.size();
  rows.cells.resize(before + columns.size * rows.width);
  Value* into = rows.cells.data() + before;
  IntervalHead head{.table = static_cast<std::uint16_t>(table), .width = static_cast<std::uint32_t>(rows.width)};
  const std::uint64_t* word = columns.words;
  for (std::size_t row = 0; row < columns.size; ++row) {
    head.flags =
        static_cast<std::uint8_t>((is_retraction ? kIsRetraction : 0) | (columns.is_point[row] ? kIsPoint : 0));
    into[0] = interval_head_cell(head);
    into[1] = into[3] = time_cell(columns.starts[row]);
    into[2] = time_cell(columns.ends[row]);
    into[4] = Value::from_word(columns.values[row]);
    into += kIntervalRowHead;
    for (std::size_t i = 0; i < width; ++i) *into++ = Value::from_word(*word++);
  }
}

Edit* Edits::going_on(Index table, bool is_retraction, Cause cause) {
  if (edits_.empty()) return nullptr;
  Edit& last = edits_.back();
  const bool is_same = last.table == table && last.is_retraction == is_retraction;
  return is_same && last.cause_of(last.size()) == cause ? &last : nullptr;
}

Edit& Edits::begin(Index table, bool is_retraction, Cause cause) {
  Edit& made = edits_.emplace_back();
  made.table = table;
  made.is_retraction = is_retraction;
  made.cause = cause;
  return made;
}

}  // namespace holdsfor
