// The last report of the intervals of keys, and the keys that may have changes to report.
#pragma once

#include <vector>

#include "changes.h"
#include "edits.h"
#include "plan.h"
#include "results.h"

namespace holdsfor {

// The keys of a stage that have changed since the last report, with their causes: input numbers, or reports of earlier
// stages (see report_cause). All causes share one list, so a report needs no allocation.
class Reports {
 public:
  [[nodiscard]] Index size() const { return static_cast<Index>(reports_.size()); }
  [[nodiscard]] Index slot(Index report) const { return reports_[report].slot; }
  void set_slot(Index report, Index slot) { reports_[report].slot = slot; }
  // Adds a report without causes.
  Index add(Index slot) {
    reports_.push_back({.slot = slot});
    return size() - 1;
  }
  void add_cause(Index report, Cause cause);
  // Calls `visit` with every cause of a report, in insertion order. `visit` may change the cause.
  template <typename Visit>
  void for_causes(Index report, const Visit& visit) {
    for (Index at = reports_[report].first; at != kNone; at = causes_[at].next) visit(causes_[at].cause);
  }
  template <typename Visit>
  void for_causes(Index report, const Visit& visit) const {
    for (Index at = reports_[report].first; at != kNone; at = causes_[at].next) visit(causes_[at].cause);
  }
  void clear();

 private:
  struct Report {
    Index slot = 0;
    Index first = kNone;  // of its causes
    Index last = kNone;
  };
  struct Link {
    Cause cause = kNoCause;
    Index next = kNone;
  };

  std::vector<Report> reports_;
  std::vector<Link> causes_;
};

// A report of an earlier stage as a cause. It represents all causes of that report.
inline Cause report_cause(Index stage, Index report) {
  return -2 - static_cast<Cause>(std::uint64_t{stage} << 32U | report);
}
inline bool is_report_cause(Cause cause) { return cause < kNoCause; }
inline Index stage_of_cause(Cause cause) { return static_cast<Index>(static_cast<std::uint64_t>(-2 - cause) >> 32U); }
inline Index report_of_cause(Cause cause) { return static_cast<Index>(static_cast<std::uint64_t>(-2 - cause)); }

// A pair in a report: head, value, arguments, then its intervals, each with the times of its id.
struct ReportedHead {
  std::uint16_t table = 0;
  std::uint16_t columns = 0;
  std::uint32_t count = 0;
};
inline constexpr std::size_t kReportedWords = 4;

// A change of an interval of a pair.
struct PairChange {
  Index table = 0;
  const Value* pair = nullptr;  // value and arguments, in the results or in the report of the key
  std::size_t columns = 0;
  Change change;
};

// Adds the intervals of `results` whose last report differs.
void save_unreported(std::span<const Value> results, const std::vector<Value>& reported, Results& into);

// The number of reported intervals that reach into the window that begins after `low`.
std::size_t count_reported(const std::vector<Value>& reported, Time low);

// Compares the results of one key with its last report.
class KeyComparison {
 public:
  explicit KeyComparison(std::span<const TableInfo> tables);

  // Updates `reported`. The changes are valid until the next call. `unreported` may be null.
  std::span<const PairChange> compare(const Results& results, const Results* unreported, std::vector<Value>& reported,
                                      const ReportTimes& times);

 private:
  // The intervals of one pair, before or now.
  struct PairSpan {
    const Value* pair = nullptr;
    Index table = 0;
    std::size_t columns = 0;
    std::uint64_t hash = 0;
    std::uint32_t from = 0, to = 0;
    bool is_met = false;
  };

  void read_reported(const std::vector<Value>& reported, Time low);
  void read_results(const Results& results);
  void join(const Results& results, const Results& unreported);
  // Finds a pair by its contents. `slots` is a hash index; empty for few pairs.
  [[nodiscard]] static Index find(const PairSpan& wanted, const std::vector<PairSpan>& pairs,
                                  const std::vector<Index>& slots);
  static void index(const std::vector<PairSpan>& pairs, std::vector<Index>& slots);
  void write_reported(std::vector<Value>& reported, Time low) const;

  std::vector<bool> is_hidden_;  // tables that are not reported
  std::vector<PairSpan> last_;
  std::vector<PairSpan> now_;
  std::vector<Reported> last_times_;
  std::vector<Reported> now_times_;
  std::vector<Index> slots_;      // hash index of `last_`, if it is large
  std::vector<Index> now_slots_;  // of `now_`
  // Intervals in the order of the results, with their pair. The intervals of a pair need not be contiguous.
  struct Row {
    Index pair = 0;
    Time start = 0;
    Time end = 0;
  };
  std::vector<Row> rows_;
  std::vector<Value> before_;
  Results joined_;
  std::vector<Change> changes_;
  std::vector<PairChange> found_;
};

}  // namespace holdsfor
