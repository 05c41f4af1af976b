// Takes in rows of events: finds the keys that they reach, and puts the rows of each key together.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "arrivals.h"
#include "cell_buffer.h"
#include "key_numbers.h"
#include "row_conditions.h"

namespace holdsfor {

// The rows of one stage by key. They are rows of logs already, but not in order; behind each is its cause, if rows have
// causes.
class Intake {
 public:
  explicit Intake(const Stage& stage);

  // Groups rows by key. Tables without a route into the stage, and those that all keys share, are left out. The
  // arrivals are in the order of their tables; they are not needed any more afterwards.
  void group(std::span<const Arrivals> arrivals, KeyNumbers& keys, RowTester& tester);
  // Gives all rows of tables that all keys share to one group, whose key is kNone.
  void group_shared(std::span<const Arrivals> arrivals, RowTester& tester);

  // Keys that rows reach, in the order in which they were met.
  [[nodiscard]] std::size_t size() const { return keys_.size(); }
  [[nodiscard]] Index key(std::size_t group) const { return keys_[group]; }
  [[nodiscard]] bool has_causes() const { return has_causes_; }
  // The rows of a group, in the order of tables and arrival. Whoever takes them in may move them there.
  [[nodiscard]] std::span<Value> rows(std::size_t group) const {
    const std::size_t from = group == 0 ? 0 : ends_[group - 1];
    return {cells_->data() + from, ends_[group] - from};
  }
  // Many rows may stay where they are, as long as somebody holds on to them.
  [[nodiscard]] bool can_lend() const;
  [[nodiscard]] const std::shared_ptr<CellBuffer>& lender() const { return cells_; }

 private:
  // How many rows are looked at together, so that what is found of them stays near.
  static constexpr std::size_t kRowsAtOnce = 1024;

  [[nodiscard]] const Route* route_of(const Arrivals& arrivals, bool is_shared) const;
  void begin(std::span<const Arrivals> arrivals);
  void find_groups(const Arrivals& arrivals, const Route& route, KeyNumbers& keys);
  [[nodiscard]] Index group_of(Index key);
  void make_room();
  [[nodiscard]] std::size_t cells_of(const Arrivals& arrivals) const;
  void place(const Arrivals& arrivals, std::size_t ways, const Index* groups, RowTester& tester);
  void place_plain(const Arrivals& arrivals, std::size_t first, std::span<const Passes> passes, const Index* groups);
  void put(const Arrivals& arrivals, std::size_t row, Passes passes, bool is_home, Index group);

  const Stage* stage_;
  std::vector<Index> keys_;
  std::shared_ptr<CellBuffer> cells_;
  std::vector<std::size_t> ends_;  // of groups; while rows are placed, where the next one goes
  std::vector<Index> group_of_;    // by key; kNone between two calls
  std::vector<Index> found_;       // of each arrival, place and row: its group, or kNone
  bool has_causes_ = false;
};

}  // namespace holdsfor
