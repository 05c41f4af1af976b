// What was last reported of the intervals of keys, and which keys may have something new to report.
#pragma once

#include <vector>

#include "changes.h"
#include "intake.h"
#include "results.h"

namespace holdsfor {

// A key that has changed since the last report, with the inputs that reached it.
struct KeyReport {
  Index slot = 0;
  // Numbers of inputs, or other reports of earlier stages: see report_cause.
  std::vector<Cause> causes;
};

using Reports = std::vector<KeyReport>;

// A report of a stage as a cause of others: its causes are theirs, too.
inline Cause report_cause(Index stage, Index report) {
  return -2 - static_cast<Cause>(std::uint64_t{stage} << 32U | report);
}
inline bool is_report_cause(Cause cause) { return cause < kNoCause; }
inline Index stage_of_cause(Cause cause) { return static_cast<Index>(static_cast<std::uint64_t>(-2 - cause) >> 32U); }
inline Index report_of_cause(Cause cause) { return static_cast<Index>(static_cast<std::uint64_t>(-2 - cause)); }

// A change of an interval of a pair.
struct PairChange {
  Index table = 0;
  const Value* pair = nullptr;  // value and arguments, in the results or in the report of its key
  std::size_t columns = 0;
  Change change;
};

// Compares the results of one key with what was last reported of it.
class KeyComparison {
 public:
  // Brings `reported` up to date. What has changed is valid until the next call.
  std::span<const PairChange> compare(const Results& results, std::vector<Value>& reported, const ReportTimes& times);

 private:
  // Intervals of one pair, as they were or as they are.
  struct PairSpan {
    const Value* pair = nullptr;
    Index table = 0;
    std::size_t columns = 0;
    std::uint64_t hash = 0;
    std::uint32_t from = 0, to = 0;
    bool is_met = false;
  };

  void read_reported(const std::vector<Value>& reported);
  void read_results(const Results& results);
  [[nodiscard]] PairSpan* find_last(const PairSpan& wanted);
  void write_reported(std::vector<Value>& reported, Time low) const;

  std::vector<PairSpan> last_;
  std::vector<PairSpan> now_;
  std::vector<Reported> last_times_;
  std::vector<Reported> now_times_;
  std::vector<Index> slots_;  // of `last_`, by hash, if they are many
  std::vector<Value> before_;
  std::vector<Change> changes_;
  std::vector<PairChange> found_;
};

}  // namespace holdsfor
