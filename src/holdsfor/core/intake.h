// Takes in rows of events: finds the keys that they reach, and puts the rows of each key together.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "arrivals.h"
#include "cell_buffer.h"
#include "key_numbers.h"
#include "key_ties.h"
#include "row_conditions.h"

namespace holdsfor {

// Threads that group rows together: how many, what each of them tests rows with, and how they share things to do (see
// do_all in crew.h).
struct IntakeCrew {
  using Work = std::function<void(unsigned thread, std::size_t number)>;

  unsigned threads = 1;
  std::function<RowTester&(unsigned thread)> tester;
  std::function<void(std::size_t count, const Work& work)> share;

  // The calling thread by itself.
  static IntakeCrew alone(RowTester& tester);
};

// The rows of one stage by key. They are rows of logs already, but not in order; behind each is its cause, if rows have
// causes.
class Intake {
 public:
  explicit Intake(const Stage& stage);

  // Groups rows by key. Tables without a route into the stage, and those that all keys share, are left out. The
  // arrivals are in the order of their tables; they are not needed any more afterwards. Keys, groups and the order of
  // rows are the same for any number of threads. Keys that are tied count as one, the root of their group.
  void group(std::span<const Arrivals> arrivals, KeyNumbers& keys, const IntakeCrew& crew,
             const KeyTies* ties = nullptr);
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

  // Rows of one table that are looked at together. Their groups, place by place of the route, are in `found_`.
  struct Block {
    const Arrivals* arrivals = nullptr;
    std::size_t ways = 0;  // in which a row reaches keys; 0: all rows have one group
    const Route* route = nullptr;
    std::size_t first = 0;
    std::size_t size = 0;
    std::size_t found = 0;
  };
  // Blocks that one thread looks at, one after the other. It numbers groups by itself, in the order in which it meets
  // them: how many cells each needs, and then where its next row goes.
  struct Range {
    std::size_t first = 0;
    std::size_t end = 0;
    std::vector<std::size_t> ends;
    std::vector<Index> groups;  // of all; empty: the numbers are the same
  };

  [[nodiscard]] const Route* route_of(const Arrivals& arrivals, bool is_shared) const;
  void begin(std::span<const Arrivals> arrivals, bool is_shared);
  void split(std::size_t ranges);
  void find_groups(Range& range, KeyNumbers& keys, const KeyTies* ties, bool is_first);
  [[nodiscard]] Index group_of(Index key, Range& range);
  void join(std::span<const KeyNumbers> others, KeyNumbers& keys);
  void make_room();
  [[nodiscard]] std::size_t cells_of(const Arrivals& arrivals) const;
  void place(Range& range, RowTester& tester);
  void place_plain(const Block& block, std::span<const Passes> passes, Range& range);
  void put(const Arrivals& arrivals, std::size_t row, Passes passes, bool is_home, std::size_t& end);

  const Stage* stage_;
  std::vector<Index> keys_;
  std::shared_ptr<CellBuffer> cells_;
  std::vector<std::size_t> ends_;  // of groups
  std::vector<Index> group_of_;    // by key; kNone between two calls
  std::vector<Block> blocks_;
  std::vector<Range> ranges_;
  std::unique_ptr<Index[]> found_;  // of each block, place and row: its group in the range, or kNone
  std::size_t found_room_ = 0;
  bool has_causes_ = false;
};

}  // namespace holdsfor
