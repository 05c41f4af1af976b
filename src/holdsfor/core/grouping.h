// Groups incoming rows by key. The rows of one key are contiguous.
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

// The threads of a grouping: their number, the row tester of each, and the function that distributes work (see do_all
// in crew.h).
struct IntakeCrew {
  using Work = std::function<void(unsigned thread, std::size_t number)>;

  unsigned threads = 1;
  std::function<RowTester&(unsigned thread)> tester;
  std::function<void(std::size_t count, const Work& work)> share;

  // The calling thread only.
  static IntakeCrew alone(RowTester& tester);
};

// The rows of one stage by key: the common base for events and intervals. Keys, groups and row order do not depend on
// the number of threads. Tied keys count as one key, the root of their group.
class Grouping {
 public:
  explicit Grouping(const Stage& stage) : stage_(&stage), cells_(std::make_shared<CellBuffer>()) {}

  // Keys that rows reach, in the order in which rows first reach them.
  [[nodiscard]] std::size_t size() const { return keys_.size(); }
  [[nodiscard]] Index key(std::size_t group) const { return keys_[group]; }
  // Whether the cell after each row is its cause.
  [[nodiscard]] bool has_causes() const { return has_causes_; }
  // The rows of a group, ordered by table and arrival. The caller may move cells there.
  [[nodiscard]] std::span<Value> rows(std::size_t group) const {
    const std::size_t from = group == 0 ? 0 : ends_[group - 1];
    return {cells_->data() + from, ends_[group] - from};
  }
  // Whether a log may borrow the rows instead of copying them. `lender` must be kept as long as rows are borrowed.
  [[nodiscard]] bool can_lend() const;
  [[nodiscard]] const std::shared_ptr<CellBuffer>& lender() const { return cells_; }

 protected:
  // Rows in a block, so that intermediate results stay in the cache.
  static constexpr std::size_t kRowsAtOnce = 1024;

  // Rows of one table: the index of their source, and the location of their arguments.
  struct Rows {
    std::size_t source = 0;
    Index table = 0;
    std::size_t size = 0;
    const std::uint64_t* args = nullptr;
    std::size_t stride = 0;  // from the arguments of one row to those of the next, in words
    std::size_t cells = 0;   // of a row in its group
  };
  // A block: consecutive rows of one table. `found` has their groups, place by place of the route.
  struct Block {
    Rows rows;             // all rows of the table
    std::size_t ways = 0;  // places by which a row reaches keys; 0: all rows have one group
    const Route* route = nullptr;
    std::size_t first = 0;
    std::size_t size = 0;
    std::size_t found = 0;
  };
  // Consecutive blocks for one thread. A range numbers its groups independently, in order of first appearance. `ends`
  // first counts the cells of each group, and later gives the position of the next row.
  struct Range {
    std::size_t first = 0;
    std::size_t end = 0;
    std::vector<std::size_t> ends;
    std::vector<Index> groups;  // maps to global groups; empty: the numbers are equal
  };

  // Starts with no rows.
  void begin(bool has_causes, bool is_shared);
  // Adds the next rows, unless their table has no route into the stage. If `is_shared`, takes only tables that all keys
  // share; otherwise only the others.
  void add(const Rows& rows);
  // Finds the groups of all rows, and allocates their cells.
  void find(KeyNumbers& keys, const IntakeCrew& crew, const KeyTies* ties);
  // Puts all rows into one group, whose key is kNone.
  void find_shared();
  // Frees the scratch memory of a large batch.
  void finish();

  // By place and row: the group in the range, or kNone.
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
