// Strata whose results have no end: what they hold from some time on, or up to some time, repeats.
//
// A stratum is evaluated in a range of time around its data. What is found there follows. If it repeats towards an end of
// the range, it is taken to go on so for ever; that is then checked, with time moved by periods. What is assumed must be
// closed under the rules, so that no more follows than that. And one period of it must follow from what lies before
// it, so that all of it does. If not, the range was too short.
#pragma once

#include <optional>
#include <vector>

#include "metric_stratum.h"

namespace holdsfor {

// What lies at `since` or behind it is there again after each `period`, in cells. On the left side time runs backwards.
struct MetricTail {
  Time since = 0;
  Time period = 0;
};

// A part of a row that is there again after each period: a negative one leads to the left.
struct MetricRepeat {
  Index row = 0;
  Interval during;
  Time period = 0;
};

class MetricEndless {
 public:
  // `tables` by relation.
  explicit MetricEndless(std::vector<MetricTable>& tables);

  // Nothing repeats.
  void begin();
  // What is given of a relation, beside what its table has, repeats; false if that has no common period.
  bool take(Index relation, std::span<const MetricRepeat> repeats);
  // Evaluates a stratum over all time; false if neither an end nor a period was found. What is given of its relations
  // is in their tables.
  bool evaluate(MetricStratumRun& run, const MetricWatch& watch);
  // Whether a stratum reads something that repeats.
  [[nodiscard]] bool reads_tails(const MetricStratum& stratum) const;
  // Has what a stratum reads spelled out in some time, and as far beyond it as its rules look.
  void spell_out_for(const MetricStratum& stratum, Interval within);
  // Has a relation spelled out in some time.
  void spell_out(Index relation, Interval within);
  [[nodiscard]] const std::optional<MetricTail>& right(Index relation) const { return sides_[0].tails[relation]; }
  [[nodiscard]] const std::optional<MetricTail>& left(Index relation) const { return sides_[1].tails[relation]; }

 private:
  // One end of time. On the left side, the time-line is mirrored.
  struct Side {
    bool is_left = false;
    std::vector<std::optional<MetricTail>> tails;  // by relation
    std::vector<Time> spelled_out;                 // by relation: up to there its table has what repeats
  };
  // A time at which something of a stratum begins or ends to hold, and what.
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
  // Assumes that what was found repeats.
  void assume(const MetricStratum& stratum, Side& side, const MetricTail& tail);
  [[nodiscard]] bool is_closed(MetricStratumRun& run, Interval range, const MetricWatch& watch);
  [[nodiscard]] bool follows(MetricStratumRun& run, const Side& side, const MetricTail& tail, Interval range,
                             Interval explicit_part, const MetricWatch& watch);
  void settle(const MetricStratum& stratum, Side& side);
  void shorten(Side& side, Index relation);

  std::vector<MetricTable>& tables_;
  Side sides_[2];
  // Of the stratum that is evaluated: the first and the last cell at which something begins, ends or begins to repeat;
  // whether something holds for ever; how far its rules look, and after which time what it reads repeats, in cells.
  Interval data_;
  bool has_infinite_ = false;
  Time reach_ = 0;
  Time period_ = 0;
  Tables given_;  // of its relations
};

}  // namespace holdsfor
