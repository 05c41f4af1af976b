#include "edits.h"

namespace holdsfor {

Edit& Edits::edit_for(Index table, bool is_retraction, Cause cause, std::size_t width) {
  if (!edits_.empty()) {
    Edit& last = edits_.back();
    const Cause next = last.cause_of(last.rows.size());
    if (last.table == table && last.is_retraction == is_retraction && next == cause) return last;
  }
  Edit& made = edits_.emplace_back();
  made.table = table;
  made.is_retraction = is_retraction;
  made.cause = cause;
  made.rows.width = width;
  return made;
}

}  // namespace holdsfor
