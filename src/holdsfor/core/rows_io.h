// Rows in saved states, and on their way from engine to engine.
#pragma once

#include "event_rows.h"
#include "rows.h"
#include "state_io.h"

namespace holdsfor {

// Rows whose first `plain` cells are times and the like, and the others values.
void write_rows(StateWriter& into, const RowSet& rows, std::size_t plain);
// Adds rows of the width that `rows` has.
void read_rows(StateReader& from, RowSet& rows, std::size_t plain);

void write_events(StateWriter& into, const EventRows& rows);
// Adds rows of the width that `rows` has.
void read_events(StateReader& from, EventRows& rows);

}  // namespace holdsfor
