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

Edit& Edits::edit_for_interval(Index table, bool is_retraction, Cause cause, std::size_t columns) {
  Edit* last = going_on(table, is_retraction, cause);
  if (last != nullptr) return *last;
  Edit& made = begin(table, is_retraction, cause);
  made.intervals.width = columns + kIntervalHead;
  return made;
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
