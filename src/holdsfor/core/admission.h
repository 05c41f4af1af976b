// Applies the window rules: decides which pushed rows count at a query time.
//
// An event counts if it lies in the window of the first query time that follows its arrival and is not before the
// event. Until then it waits. An input interval counts from the next query time on, cut at the start of the window. A
// row is late if its last window was over when it arrived. Rows behind the border of the window cannot be retracted.
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

  // Adds the rows that begin or cease to count at a query time to `into`. May move rows out of `edits`.
  void admit(Edits& edits, const Window& window, Time query, Deliveries& into);

  [[nodiscard]] std::size_t late() const { return late_; }
  // Retractions refused here. Retractions that find nothing in the log of their key are counted there.
  [[nodiscard]] std::size_t unmatched() const { return unmatched_; }
  // Numbers of the inputs whose retraction was refused at the last query time. Inputs without a number are left out.
  [[nodiscard]] const std::vector<Cause>& lost() const { return lost_; }
  [[nodiscard]] std::size_t waiting() const { return waiting_count_; }
  // Calls `visit` with table, time and arguments of every waiting event.
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
  // Absorbs the rows of an engine with other rules. `table_of` maps its tables to the tables of this engine.
  void succeed(const Admission& other, std::span<const Index> table_of);

  void mark_terms(TermMarks& marks) const {
    for (const Waiting& waiting : waiting_) marks.mark(waiting.rows.cells);
  }
  // Calls `change` with the number of every waiting event.
  template <typename Change>
  void each_cause(const Change& change) {
    for (Waiting& waiting : waiting_) std::for_each(waiting.causes.begin(), waiting.causes.end(), change);
  }

 private:
  // Events after the query time: rows of time and arguments, and the input number of each row.
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
  std::vector<Cause> causes_;  // of the intervals under examination
};

}  // namespace holdsfor
