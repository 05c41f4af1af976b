// The events of one key in time order, as they change: see log.h for its rows.
//
// Rows of equal time are in the order of their tables, and those of one table in the order in which they came. Equal
// rows are one.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cell_buffer.h"
#include "log.h"
#include "plan.h"
#include "rows.h"
#include "value.h"

namespace holdsfor {

// How many cells the rows of each table have in a log.
class LogWidths {
 public:
  explicit LogWidths(const Plan& plan);
  [[nodiscard]] std::size_t operator[](std::uint16_t table) const { return widths_[table]; }
  // Of a row in a log.
  [[nodiscard]] std::size_t of(const Value* row) const { return widths_[RowHead::from(row[1]).table]; }

 private:
  std::vector<std::uint32_t> widths_;
};

class Log {
 public:
  [[nodiscard]] std::span<const Value> cells() const { return cells_.view(); }
  [[nodiscard]] bool empty() const { return cells().empty(); }
  [[nodiscard]] Time first_time() const { return time_of(cells().front()); }
  [[nodiscard]] std::size_t last_row() const { return last_; }
  // How many rows there are.
  [[nodiscard]] std::size_t rows(const LogWidths& widths) const;
  // Where the rows begin that do not come before a time and a table; `before` is the row in front, if there is one.
  struct Position {
    std::size_t at = 0;
    std::size_t before = 0;
  };
  [[nodiscard]] Position find(Time time, std::uint16_t table, const LogWidths& widths);
  // The time of the first row that begins at a cell or after it; kForever if there is none.
  [[nodiscard]] Time time_at(std::size_t cell, const LogWidths& widths);
  // Puts rows in the place of those from one cell to another; `last` is where the last row of the log then begins.
  void replace(std::size_t from, std::size_t to, std::span<const Value> cells, std::size_t last);
  // The rows of a log that was empty. They stay where they are until they change: nobody else writes there.
  void borrow(std::span<Value> cells, std::shared_ptr<CellBuffer> lender, std::size_t last);

  // Rows no longer know which conditions they pass.
  void forget_conditions(const LogWidths& widths);
  // Drops the rows up to a time, but those of tables that keep some longer: `keep` by table is for how long.
  void drop_until(Time time, std::span<const Time> keep, const LogWidths& widths);

 private:
  void make_marks(const LogWidths& widths);

  KeyCells cells_;  // keys that come together share the memory of their first rows
  std::size_t last_ = 0;
  std::vector<std::size_t> marks_;  // where some rows begin, in order: made when they are needed
};

}  // namespace holdsfor
