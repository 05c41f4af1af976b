// The results of evaluating one key, as plain rows that can be stored and compared.
#pragma once

#include <bit>
#include <span>
#include <vector>

#include "sweep.h"

namespace holdsfor {

enum class ResultKind : std::uint8_t {
  kEvent,        // time and arguments
  kInterval,     // start, end, value and arguments
  kInitiation,   // time, arguments and value, if rules read them
  kTermination,  // like an initiation
  kConflict,     // time and arguments of an initiation without effect
};

struct ResultHead {
  std::uint16_t table = 0;
  ResultKind kind = ResultKind::kEvent;
  std::uint8_t unused = 0;
  std::uint32_t width = 0;  // of the whole row, in cells
};

// Rows one after the other: a head, then the cells of its kind. Rows that the same checkpoint settles first are
// contiguous, in the order of checkpoints. Within such a range, the rows of a table and the intervals of a pair are in
// order.
using Results = std::vector<Value>;

inline Value result_head_cell(ResultHead head) { return Value::from_word(std::bit_cast<std::uint64_t>(head)); }
inline ResultHead result_head(const Value* row) { return std::bit_cast<ResultHead>(row[0].word()); }

// The last time-point that a row describes; kForever for intervals without an end.
Time last_time(const Value* row);

// Adds the results of a sweep for a stage: rows that a checkpoint at `until` settles and one at `from` does not. A
// checkpoint settles a row that describes nothing after it. A statically determined fluent that ends just after the
// checkpoint is not settled, because input that begins there may extend it.
void extract_results(const World& world, const Sweep& sweep, Index stage, Time from, Time until, Results& into);

// The symmetric difference of two results.
class ResultsDiff {
 public:
  // `is_compared` by table; null: compare all tables.
  void compare(std::span<const Value> before, std::span<const Value> after, const std::vector<bool>* is_compared);
  [[nodiscard]] bool is_empty() const { return removed_.empty() && added_.empty(); }
  [[nodiscard]] std::span<const Value* const> removed() const { return removed_; }
  [[nodiscard]] std::span<const Value* const> added() const { return added_; }
  // The number of cells at the beginning that are the same in both, in all tables.
  [[nodiscard]] std::size_t common() const { return common_; }
  // The increase in the number of conflicts, over all tables.
  [[nodiscard]] std::int64_t more_conflicts() const { return more_conflicts_; }

 private:
  using Rows = std::vector<const Value*>;

  // Collects the rows to compare. Returns the number of conflicts.
  static std::int64_t read(std::span<const Value> results, const std::vector<bool>* is_compared, Rows& into);

  Rows before_;
  Rows after_;
  std::vector<Index> slots_;   // rows before, by hash
  std::vector<bool> is_kept_;  // by row before
  Rows removed_;
  Rows added_;
  std::size_t common_ = 0;
  std::int64_t more_conflicts_ = 0;
};

}  // namespace holdsfor
