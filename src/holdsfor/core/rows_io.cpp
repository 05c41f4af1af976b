#include "rows_io.h"

#include <vector>

namespace holdsfor {

void write_rows(StateWriter& into, const RowSet& rows, std::size_t plain) {
  into.put(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t i = 0; i < plain; ++i) into.put(rows.row(row)[i].word());
    into.put_values({rows.row(row) + plain, rows.width - plain});
  }
}

void read_rows(StateReader& from, RowSet& rows, std::size_t plain) {
  const std::size_t count = from.get_count(plain);
  for (std::size_t row = 0; row < count; ++row) {
    for (std::size_t i = 0; i < plain; ++i) rows.cells.push_back(Value::from_word(from.get()));
    from.get_values(rows.width - plain, rows.cells);
  }
}

void write_events(StateWriter& into, const EventRows& rows) {
  into.put(rows.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    into.put_time(rows.time(row));
    for (std::size_t i = 0; i < rows.width(); ++i) {
      const Value value = Value::from_word(rows.args(row)[i]);
      into.put_values({&value, 1});
    }
  }
}

void read_events(StateReader& from, EventRows& rows) {
  const std::size_t count = from.get_count(kEventHead);
  std::vector<Value> args;
  for (std::size_t row = 0; row < count; ++row) {
    const Time time = from.get_time();
    args.clear();
    from.get_values(rows.width(), args);
    rows.add(time, args);
  }
}

}  // namespace holdsfor
