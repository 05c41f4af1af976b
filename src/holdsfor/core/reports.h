// What was last reported of the intervals of keys, and which keys may have something new to report.
#pragma once

#include <vector>

#include "changes.h"
#include "edits.h"
#include "plan.h"
#include "results.h"

namespace holdsfor {

// The keys of a stage that have changed since the last report, with the causes of that: numbers of inputs, or reports
// of earlier stages (see report_cause). All causes stand in one list, so that a report needs no memory of its own.
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
  // Calls `visit` with every cause of a report, which it may change, in the order in which they were added.
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

// A report of a stage as a cause of others: its causes are theirs, too.
inline Cause report_cause(Index stage, Index report) {
  return -2 - static_cast<Cause>(std::uint64_t{stage} << 32U | report);
}
inline bool is_report_cause(Cause cause) { return cause < kNoCause; }
inline Index stage_of_cause(Cause cause) { return static_cast<Index>(static_cast<std::uint64_t>(-2 - cause) >> 32U); }
inline Index report_of_cause(Cause cause) { return static_cast<Index>(static_cast<std::uint64_t>(-2 - cause)); }

// A pair in a report is a head, value and arguments, and then its intervals, each with what makes its id.
struct ReportedHead {
  std::uint16_t table = 0;
  std::uint16_t columns = 0;
  std::uint32_t count = 0;
};
inline constexpr std::size_t kReportedWords = 4;

// A change of an interval of a pair.
struct PairChange {
  Index table = 0;
  const Value* pair = nullptr;  // value and arguments, in the results or in the report of its key
  std::size_t columns = 0;
  Change change;
};

// Adds those intervals of `results` of which something else was reported.
void save_unreported(std::span<const Value> results, const std::vector<Value>& reported, Results& into);

// How many of the intervals in a list of reports reach into the window that begins after `low`.
std::size_t count_reported(const std::vector<Value>& reported, Time low);

// Compares the results of one key with what was last reported of it.
class KeyComparison {
 public:
  explicit KeyComparison(std::span<const TableInfo> tables);

  // Brings `reported` up to date. What has changed is valid until the next call.
  // `unreported` may be null.
  std::span<const PairChange> compare(const Results& results, const Results* unreported, std::vector<Value>& reported,
                                      const ReportTimes& times);

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

  void read_reported(const std::vector<Value>& reported, Time low);
  void read_results(const Results& results);
  void join(const Results& results, const Results& unreported);
  // Finds a pair by its contents; `slots` by hash, empty if there are few.
  [[nodiscard]] static Index find(const PairSpan& wanted, const std::vector<PairSpan>& pairs,
                                  const std::vector<Index>& slots);
  static void index(const std::vector<PairSpan>& pairs, std::vector<Index>& slots);
  void write_reported(std::vector<Value>& reported, Time low) const;

  std::vector<bool> is_hidden_;  // tables of which nothing is reported
  std::vector<PairSpan> last_;
  std::vector<PairSpan> now_;
  std::vector<Reported> last_times_;
  std::vector<Reported> now_times_;
  std::vector<Index> slots_;      // of `last_`, by hash, if they are many
  std::vector<Index> now_slots_;  // of `now_`
  // Intervals as they stand in the results, with their pair: those of a pair may be apart.
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
