// The operators `Since` and `Until`.
//
// At t, `left Since[a,b] right` requires a point t' with t - t' in [a,b] at which `right` holds, and `left` at all
// points strictly between t' and t. So both t' and t lie in the closure of one interval of `left`.
#pragma once

#include <vector>

#include "metric_body.h"

namespace holdsfor {

class MetricSince {
 public:
  explicit MetricSince(const MetricLast& rule);

  // Derives where the rule holds. The intervals are not maximal.
  void solve(const MetricTable& left, const MetricTable& right, Derived& out);
  // Derives consequences of new pieces of the right or left side. The pieces are rows of `fresh_of`, which may be
  // smaller than the whole table.
  void solve_right(const MetricTable& left, const MetricTable& fresh_of, const Fresh& fresh, Derived& out);
  void solve_left(const MetricTable& left, const MetricTable& right, const MetricTable& fresh_of, const Fresh& fresh,
                  Derived& out);
  // Derives where the rule holds from `low` on because it was armed earlier, as long as the left side continues.
  void solve_armed(const MetricTable& armed, const MetricTable& left, Time low, Derived& out);
  // Arms the rule at the end of a slice: collects where it will hold if the left side, which holds until then,
  // continues.
  void arm(const MetricTable& armed, const MetricTable& left, const MetricTable& right, Interval slice,
           MetricTable& into);

 private:
  void put_together(std::span<const Value> left, std::span<const Value> right);
  void add(Interval during, Derived& out) const;
  void add_lasting(Interval left, const Intervals& right, Interval near, Derived& out) const;
  // Calls `see` with each row of a table that agrees with a row of the other side.
  template <typename See>
  void each_partner(const MetricTable& table, bool is_left, std::span<const Value> other, const See& see);
  template <typename See>
  void each_armed(const MetricTable& armed, const MetricTable& left, Time low, const See& see);

  const MetricLast& rule_;
  std::vector<Index> shared_left_;   // columns of both sides, in the order of the left side
  std::vector<Index> shared_right_;  // the same columns of the right side
  std::vector<Index> sorted_right_;  // sorted, and the corresponding columns of the left side
  std::vector<Index> sorted_left_;
  // By column of the head: whether it comes from the right side, and its column there.
  std::vector<std::pair<bool, Index>> head_;
  std::vector<Index> left_in_head_;  // by column of the left side
  std::vector<Value> tuple_;
  std::vector<Value> left_tuple_;
};

}  // namespace holdsfor
