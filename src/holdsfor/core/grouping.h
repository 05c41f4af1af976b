// Puts rows that come together by the keys that they reach, each key's rows in one piece.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "cell_buffer.h"
#include "key_numbers.h"
#include "key_ties.h"

namespace holdsfor {

class RowTester;

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

// The rows of one stage by key, whatever they are: what events and intervals have in common. Keys, groups and the order
// of rows are the same for any number of threads. Keys that are tied count as one, the root of their group.
class Grouping {
 public:
  explicit Grouping(const Stage& stage) : stage_(&stage), cells_(std::make_shared<CellBuffer>()) {}

  // Keys that rows reach, in the order in which they were met.
  [[nodiscard]] std::size_t size() const { return keys_.size(); }
  [[nodiscard]] Index key(std::size_t group) const { return keys_[group]; }
  // Whether the cause of each row is behind it.
  [[nodiscard]] bool has_causes() const { return has_causes_; }
  // The rows of a group, in the order of tables and arrival. Whoever takes them in may move them there.
  [[nodiscard]] std::span<Value> rows(std::size_t group) const {
    const std::size_t from = group == 0 ? 0 : ends_[group - 1];
    return {cells_->data() + from, ends_[group] - from};
  }
  // Many rows may stay where they are, as long as somebody holds on to them.
  [[nodiscard]] bool can_lend() const;
  [[nodiscard]] const std::shared_ptr<CellBuffer>& lender() const { return cells_; }

 protected:
  // How many rows are looked at together, so that what is found of them stays near.
  static constexpr std::size_t kRowsAtOnce = 1024;

  // Rows of one table: which of those that were given they are, and where their arguments are.
  struct Rows {
    std::size_t source = 0;
    Index table = 0;
    std::size_t size = 0;
    const std::uint64_t* args = nullptr;
    std::size_t stride = 0;  // from the arguments of a row to those of the next
    std::size_t cells = 0;   // that a row takes on its way
  };
  // Rows of one table that are looked at together. Their groups, place by place of the route, are in `found`.
  struct Block {
    Rows rows;             // all of the table
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

  // Nothing is to be grouped yet.
  void begin(bool has_causes, bool is_shared);
  // Rows that come next, unless their table has no route into the stage. Those of tables that all keys share are
  // wanted if the others are not.
  void add(const Rows& rows);
  // Finds the groups of all rows, and makes room for them.
  void find(KeyNumbers& keys, const IntakeCrew& crew, const KeyTies* ties);
  // The same for one group of all rows, whose key is kNone.
  void find_shared();
  // What was needed once, for many rows, is not kept.
  void finish();

  // By place and row: its group in the range, or kNone.
  [[nodiscard]] const Index* found(const Block& block) const { return found_.get() + block.found; }
  [[nodiscard]] Value* cells() { return cells_->data(); }
  [[nodiscard]] std::span<const Block> blocks(const Range& range) const {
    return std::span(blocks_).subspan(range.first, range.end - range.first);
  }

  std::vector<Range> ranges_;

 private:
  [[nodiscard]] const Route* route_of(Index table) const;
  void split(std::size_t ranges);
  void find_groups(Range& range, KeyNumbers& keys, const KeyTies* ties, bool is_first);
  [[nodiscard]] Index group_of(Index key, Range& range);
  void join(std::span<const KeyNumbers> others, KeyNumbers& keys);
  void make_room();

  const Stage* stage_;
  std::vector<Index> keys_;
  std::shared_ptr<CellBuffer> cells_;
  std::vector<std::size_t> ends_;  // of groups
  std::vector<Index> group_of_;    // by key; kNone between two calls
  std::vector<Block> blocks_;
  std::size_t places_ = 0;
  std::unique_ptr<Index[]> found_;
  std::size_t found_room_ = 0;
  bool has_causes_ = false;
  bool is_shared_ = false;
};

}  // namespace holdsfor
