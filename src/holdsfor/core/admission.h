// Decides which of the pushed rows count at a query time, by the rules of windows.
//
// An event counts if it lies in the window of the first query time at or after it that follows its arrival; until then
// it waits. An input interval counts from the next query time on, cut where the window begins. Rows whose last window
// was over when they came are late. What lies behind the border of the window cannot be retracted.
#pragma once

#include <algorithm>
#include <vector>

#include "deliveries.h"
#include "edits.h"
#include "state_io.h"
#include "window.h"

namespace holdsfor {

class Admission {
 public:
  explicit Admission(const Plan& plan) : plan_(plan), waiting_(plan.tables.size()) {}

  // Adds what begins or ceases to count at a query time to `into`; the rows of the edits may move there.
  void admit(Edits& edits, const Window& window, Time query, Deliveries& into);

  [[nodiscard]] std::size_t late() const { return late_; }
  // Retractions that were refused here; others find nothing in the log of their key.
  [[nodiscard]] std::size_t unmatched() const { return unmatched_; }
  // The inputs of those of the last query time, as far as they have numbers.
  [[nodiscard]] const std::vector<Cause>& lost() const { return lost_; }
  [[nodiscard]] std::size_t waiting() const { return waiting_count_; }
  // Calls `visit` with table, time and arguments of every event that waits.
  template <typename Visit>
  void each_waiting(const Visit& visit) const {
    for (Index table = 0; table < waiting_.size(); ++table) {
      const Waiting& waiting = waiting_[table];
      for (std::size_t row = 0; row < waiting.causes.size(); ++row) {
        visit(table, time_of(waiting.rows.row(row)[0]), waiting.args(row));
      }
    }
  }
  // See state_io.h.
  void write(StateWriter& into) const;
  void read(StateReader& from);
  void absorb(const Admission& other);
  // The same of an engine with other rules: `table_of` by its tables.
  void succeed(const Admission& other, std::span<const Index> table_of);

  void mark_terms(TermMarks& marks) const {
    for (const Waiting& waiting : waiting_) marks.mark(waiting.rows.cells);
  }
  // Calls `change` with the number of every event that waits.
  template <typename Change>
  void each_cause(const Change& change) {
    for (Waiting& waiting : waiting_) std::for_each(waiting.causes.begin(), waiting.causes.end(), change);
  }

 private:
  // Events after the query time: rows of their times and arguments, and the numbers of the inputs that they are.
  struct Waiting {
    RowSet rows;
    std::vector<Cause> causes;

    [[nodiscard]] std::span<const Value> args(std::size_t row) const {
      return {rows.row(row) + kEventHead, rows.width - kEventHead};
    }
  };

  void admit_waiting(const Window& window, Time query, Deliveries& into);
  void insert_events(Edit& edit, const Window& window, Time query, Deliveries& into);
  void retract_events(const Edit& edit, const Window& window, Time query, Deliveries& into);
  void admit_intervals(Edit& edit, Time first, Deliveries& into);
  bool retract_waiting(Index table, Time time, const std::uint64_t* args);
  [[nodiscard]] bool is_admitted(Value* row, Time first, Cause cause);
  void count_lost(Cause cause);

  const Plan& plan_;
  std::vector<Waiting> waiting_;
  std::size_t waiting_count_ = 0;
  std::size_t late_ = 0;
  std::size_t unmatched_ = 0;
  std::vector<Cause> lost_;
  std::vector<Cause> causes_;  // of the intervals that are looked at
};

}  // namespace holdsfor
