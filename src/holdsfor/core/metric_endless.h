// Evaluates strata with unbounded results, which become periodic in the far past or future.
//
// A stratum is evaluated in a finite range around its data. If its results become periodic towards an end of the range,
// the evaluator assumes that they continue periodically without end. Then it checks the assumption, with time shifted
// by periods. First, the assumed facts must be closed under the rules: nothing else follows. Second, one period must
// follow from what lies before it, so that by induction all periods follow. If a check fails, the range was too short.
#pragma once

#include <optional>
#include <vector>

#include "metric_stratum.h"

namespace holdsfor {

// Everything at or after `since` repeats after each `period`; both in cells. On the left side time is mirrored.
struct MetricTail {
  Time since = 0;
  Time period = 0;
};

// A part of a row that repeats after each period. A negative period leads to the left.
struct MetricRepeat {
  Index row = 0;
  Interval during;
  Time period = 0;
};

class MetricEndless {
 public:
  // `tables` by relation.
  explicit MetricEndless(std::vector<MetricTable>& tables);

  // Starts without repetition.
  void begin();
  // Adds the periodic input of a relation, in addition to its table. False without a common period.
  bool take(Index relation, std::span<const MetricRepeat> repeats);
  // Evaluates a stratum over all time. The tables of its relations have the given facts. False if neither an end nor a
  // period was found.
  bool evaluate(MetricStratumRun& run, const MetricWatch& watch);
  // Whether a stratum reads a relation that repeats.
  [[nodiscard]] bool reads_tails(const MetricStratum& stratum) const;
  // Unrolls the relations that a stratum reads within an interval, extended by the reach of its rules.
  void spell_out_for(const MetricStratum& stratum, Interval within);
  // Unrolls a relation within an interval.
  void spell_out(Index relation, Interval within);
  [[nodiscard]] const std::optional<MetricTail>& right(Index relation) const { return sides_[0].tails[relation]; }
  [[nodiscard]] const std::optional<MetricTail>& left(Index relation) const { return sides_[1].tails[relation]; }

 private:
  // One end of time. On the left side, the time-line is mirrored.
  struct Side {
    bool is_left = false;
    std::vector<std::optional<MetricTail>> tails;  // by relation
    std::vector<Time> spelled_out;                 // by relation: the table is unrolled up to here
  };
  // A time at which facts of a stratum begin or end to hold, and a hash that identifies these facts.
  struct Edges {
    Time time = 0;
    std::uint64_t what = 0;
  };
  using Tables = std::vector<MetricTable>;

  [[nodiscard]] static Interval seen(const Side& side, Interval one);
  [[nodiscard]] static Time seen(const Side& side, Time cell) { return side.is_left ? 1 - cell : cell; }
  void extend(Side& side, Index relation, Time until);
  void find_data(const MetricStratum& stratum);
  [[nodiscard]] Tables own(const MetricStratum& stratum) const;
  void put(const MetricStratum& stratum, const Tables& tables);
  [[nodiscard]] std::vector<Edges> edges(const MetricStratum& stratum, const Side& side, Interval region) const;
  [[nodiscard]] std::optional<MetricTail> find_tail(const MetricStratum& stratum, const Side& side, Interval range);
  [[nodiscard]] bool fits(const Side& side, const MetricTail& tail, Interval range) const;
  // Assumes that the detected tail repeats.
  void assume(const MetricStratum& stratum, Side& side, const MetricTail& tail);
  [[nodiscard]] bool is_closed(MetricStratumRun& run, Interval range, const MetricWatch& watch);
  [[nodiscard]] bool follows(MetricStratumRun& run, const Side& side, const MetricTail& tail, Interval range,
                             Interval explicit_part, const MetricWatch& watch);
  void settle(const MetricStratum& stratum, Side& side);
  void shorten(Side& side, Index relation);

  std::vector<MetricTable>& tables_;
  Side sides_[2];
  // Values of the current stratum, in cells: the first and last cell at which something begins, ends or begins to
  // repeat; whether something holds without end; the reach of its rules; the common period of the relations that it
  // reads.
  Interval data_;
  bool has_infinite_ = false;
  Time reach_ = 0;
  Time period_ = 0;
  Tables given_;  // of its relations
};

}  // namespace holdsfor
