// Reads and writes rows in saved states and between engines.
#pragma once

#include "event_rows.h"
#include "rows.h"
#include "state_io.h"

namespace holdsfor {

// The first `plain` cells of a row are plain words such as times; the others are values.
void write_rows(StateWriter& into, const RowSet& rows, std::size_t plain);
// Adds rows with the width of `rows`.
void read_rows(StateReader& from, RowSet& rows, std::size_t plain);

void write_events(StateWriter& into, const EventRows& rows);
// Adds rows with the width of `rows`.
void read_events(StateReader& from, EventRows& rows);

}  // namespace holdsfor
