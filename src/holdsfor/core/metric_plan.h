// The metric part of a plan: relations, and rules in normal form. See holdsfor/physical/metric.py.
#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "aggregates.h"
#include "metric_time.h"
#include "plan.h"

namespace holdsfor {

// A relation with arguments. Constants select rows, registers join, other arguments match everything.
struct MetricScan {
  Index relation = 0;
  std::vector<Shape> columns;
  bool negated = false;
};

// A comparison of arguments. A numeric comparison holds for numbers only. An equation with an unbound register on one
// side binds it.
struct MetricTest {
  Comparison comparison = Comparison::kEqual;
  bool is_numeric = false;
  Expression left;
  Expression right;
  std::vector<Index> left_registers;
  std::vector<Index> right_registers;
};

// An aggregate of the rows of a scan that hold at the same time, over the first term, for rows that differ in some
// term. One result for each value of the groups.
struct MetricTotal {
  Aggregate function = Aggregate::kCount;
  Index result = 0;
  std::vector<Index> terms;
  std::vector<Index> groups;
  MetricScan scan;
};

using MetricLiteral = std::variant<MetricScan, MetricTest, MetricTotal>;

// `head` holds at t iff `source` holds at some point (with `is_box`: at all points) of t minus the offsets.
struct MetricMove {
  Index head = 0;
  Index source = 0;
  Offsets offsets;
  bool is_box = false;
};

// `left` Since `right`, or Until, which has negative offsets. `columns` are registers of both sides; each combination
// of their values has a result. With `waits`, the result of `waits` ticks ago holds now.
struct MetricLast {
  Index head = 0;
  std::vector<Index> columns;
  MetricScan left;
  MetricScan right;
  Offsets offsets;
  bool is_until = false;
  Time waits = 0;
};

struct MetricJoin {
  Index head = 0;
  std::vector<Shape> terms;
  std::vector<MetricLiteral> literals;
  Index registers = 0;
};

using MetricRule = std::variant<MetricMove, MetricLast, MetricJoin>;

// Relations that are evaluated together, after those of earlier strata.
struct MetricStratum {
  std::vector<Index> relations;
  std::vector<MetricRule> rules;
  bool is_recursive = false;
  // By relation: the column by which recursion can be evaluated value by value. Empty if no such column exists.
  std::vector<Index> key;
  // The minimum distance, in ticks, over which recursion carries facts in one direction; 0 without such a distance.
  Time stride = 0;
  bool is_backward = false;
};

struct MetricPlan {
  std::vector<Index> widths;  // by relation
  std::vector<MetricStratum> strata;
};

// Connects a relation with a table of the plan, as input or output.
struct MetricLink {
  Index relation = 0;
  Index table = 0;
};

// The time outside which a stratum derives nothing of interest: ticks before the beginning of time, and after the last
// time-point that the query time decides. One of the two is enough. See holdsfor/physical/metric.py.
struct MetricSpan {
  std::optional<Time> before;
  std::optional<Time> after;
  bool is_endless = false;
  bool asks_before = false;
  bool asks_after = false;
};

// A fact among the rules: a row of a relation, and the cells in which it holds.
struct MetricGiven {
  Index relation = 0;
  std::vector<Value> row;
  Interval during;
};

// Metric predicates that are evaluated together for a key.
struct MetricComponent {
  MetricPlan plan;
  Time scale = 1;  // ticks per time-point
  Value holds;     // the value of a fluent that holds
  std::vector<MetricLink> inputs;
  std::vector<MetricLink> outputs;
  std::vector<MetricSpan> spans;  // by stratum
  std::vector<MetricGiven> facts;
  // Time-points after the last change of the inputs until results stop changing by themselves.
  Time reach = kForever;
  // The times of rows are cells of the doubled time-line. Queries do not reach before the origin, if one is given, or
  // after the query time, unless that is the last one.
  bool is_rational = false;
  // Rules derive nothing for a time before their premises, so evaluation proceeds slice by slice.
  bool is_forward = false;
  // The stream has neither late nor retracted facts: all keys are evaluated together, see metric_flow.h.
  bool is_final = false;
};

// Calls `see` with each relation that a rule reads.
template <typename See>
void each_source(const MetricRule& rule, const See& see) {
  if (const auto* move = std::get_if<MetricMove>(&rule)) {
    see(move->source);
  } else if (const auto* last = std::get_if<MetricLast>(&rule)) {
    see(last->left.relation);
    see(last->right.relation);
  } else {
    for (const MetricLiteral& literal : std::get<MetricJoin>(rule).literals) {
      if (const auto* scan = std::get_if<MetricScan>(&literal)) see(scan->relation);
      if (const auto* total = std::get_if<MetricTotal>(&literal)) see(total->scan.relation);
    }
  }
}

// The relations of other strata that the rules of a stratum read.
std::vector<Index> relations_read(const MetricStratum& stratum);

inline Index head_of(const MetricRule& rule) {
  return std::visit([](const auto& one) { return one.head; }, rule);
}

}  // namespace holdsfor
