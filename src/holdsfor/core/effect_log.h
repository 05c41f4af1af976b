// Initiations and terminations of fluents of earlier stages that reach one key, for rules that read them.
#pragma once

#include <span>
#include <vector>

#include "plan.h"
#include "rows.h"

namespace holdsfor {

class EffectLog {
 public:
  // Effects of one kind on one fluent, ordered by time: time, arguments and value.
  struct Entry {
    Index table = 0;
    bool is_termination = false;
    RowSet rows;
  };

  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  void insert(Index table, bool is_termination, std::span<const Value> row);
  void remove(Index table, bool is_termination, std::span<const Value> row);
  // Drops rows up to `time`. Tables with retention keep rows longer, by `keep[table]`.
  void drop_until(Time time, std::span<const Time> keep);
  [[nodiscard]] bool empty() const;

 private:
  RowSet& rows_of(Index table, bool is_termination, std::size_t width);

  std::vector<Entry> entries_;
};

}  // namespace holdsfor
