// The events of one key in time order: see log.h for the row format.
//
// Rows of equal time are ordered by table, and rows of one table by arrival. Equal rows are stored once.
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

// The number of cells of a row of each table in a log.
class LogWidths {
 public:
  explicit LogWidths(const Plan& plan);
  [[nodiscard]] std::size_t operator[](std::uint16_t table) const { return widths_[table]; }
  // The width of a row in a log.
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
  // The number of rows.
  [[nodiscard]] std::size_t rows(const LogWidths& widths) const;
  // The cell of the first row not before a time and table, and the cell of the row before it, if any.
  struct Position {
    std::size_t at = 0;
    std::size_t before = 0;
  };
  [[nodiscard]] Position find(Time time, std::uint16_t table, const LogWidths& widths);
  // The time of the first row at or after a cell; kForever if there is none.
  [[nodiscard]] Time time_at(std::size_t cell, const LogWidths& widths);
  // Replaces the rows between two cells. `last` is the cell of the last row of the resulting log.
  void replace(std::size_t from, std::size_t to, std::span<const Value> cells, std::size_t last);
  // Takes rows into an empty log without a copy. They stay in the lender until they change; no other key writes there.
  void borrow(std::span<Value> cells, std::shared_ptr<CellBuffer> lender, std::size_t last);

  // Resets the row conditions of all rows to unknown.
  void forget_conditions(const LogWidths& widths);
  // Drops rows up to `time`. Tables with retention keep rows longer, by `keep[table]`.
  void drop_until(Time time, std::span<const Time> keep, const LogWidths& widths);

 private:
  void make_marks(const LogWidths& widths);

  KeyCells cells_;  // keys whose rows arrive together share the memory of their first rows
  std::size_t last_ = 0;
  std::vector<std::size_t> marks_;  // cells of some rows, in order; created on demand
};

}  // namespace holdsfor
