// Rows of tables outside any key: input, rows between stages, and output.
#pragma once

#include <vector>

#include "value.h"

namespace holdsfor {

// Rows of one width, one after the other.
struct RowSet {
  std::size_t width = 0;
  std::vector<Value> cells;

  [[nodiscard]] std::size_t size() const { return width == 0 ? 0 : cells.size() / width; }
  [[nodiscard]] const Value* row(std::size_t number) const { return cells.data() + number * width; }
  void append(const RowSet& other) { cells.insert(cells.end(), other.cells.begin(), other.cells.end()); }
};

inline Value time_cell(Time time) { return Value::from_word(static_cast<std::uint64_t>(time)); }
inline Time time_of(Value cell) { return static_cast<Time>(cell.word()); }

// Cells of an event before its arguments: its time.
inline constexpr std::size_t kEventHead = 1;

}  // namespace holdsfor
