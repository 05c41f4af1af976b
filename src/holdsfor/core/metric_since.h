// `Since` and `Until`: what holds for as long as something has gone on since, or goes on until, something else.
//
// At t, `left Since[a,b] right` asks for a point t' with t - t' in [a,b] at which `right` holds, and for `left` at all
// points strictly between. Both t' and t then lie in one interval of `left`, its end-points included.
#pragma once

#include <vector>

#include "metric_body.h"

namespace holdsfor {

class MetricSince {
 public:
  explicit MetricSince(const MetricLast& rule);

  // Where the rule holds, not maximal.
  void solve(const MetricTable& left, const MetricTable& right, Derived& out);
  // The same because of pieces of the right side, or of the left side, that are new; these are rows of tables of their
  // own, which may be smaller.
  void solve_right(const MetricTable& left, const MetricTable& fresh_of, const Fresh& fresh, Derived& out);
  void solve_left(const MetricTable& left, const MetricTable& right, const MetricTable& fresh_of, const Fresh& fresh,
                  Derived& out);
  // Where it holds from `low` on because of what was armed before, for as long as the left side goes on.
  void solve_armed(const MetricTable& armed, const MetricTable& left, Time low, Derived& out);
  // Where it will hold after a slice if the left side goes on, which it does until then at least.
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
  std::vector<Index> shared_left_;   // columns that both sides have, in the order of those of the left side
  std::vector<Index> shared_right_;  // the same columns of the right side
  std::vector<Index> sorted_right_;  // in their own order, and the columns of the left side
  std::vector<Index> sorted_left_;
  std::vector<std::pair<bool, Index>> head_;  // by column of the head: whether it is of the right side, and its column
  std::vector<Index> left_in_head_;           // by column of the left side
  std::vector<Value> tuple_;
  std::vector<Value> left_tuple_;
};

}  // namespace holdsfor
