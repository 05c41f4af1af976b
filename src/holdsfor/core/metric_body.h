// Evaluates the bodies of metric rules: joins tuples over the intersection of their intervals.
#pragma once

#include <optional>
#include <vector>

#include "arithmetic.h"
#include "function_ref.h"
#include "metric_plan.h"
#include "metric_table.h"

namespace holdsfor {

// Derived tuples, one after the other, each with an interval.
struct Derived {
  std::vector<Value> cells;
  std::vector<Interval> during;

  void clear() {
    cells.clear();
    during.clear();
  }
};

// A new part of the interval list of a row.
struct FreshPiece {
  Index row = 0;
  Interval during;
};
using Fresh = std::vector<FreshPiece>;

using TableOf = FunctionRef<const MetricTable&(Index relation)>;

class MetricBody {
 public:
  MetricBody(const MetricJoin& rule, TermTable& terms, Host& host);

  // Call if the tables have changed since the last call in any way other than growth.
  void begin();
  // Evaluates the rule. With `fresh`, derives only consequences of these pieces of the scan number `changed`.
  void solve(TableOf table_of, Derived& out, std::size_t changed = kNothing, const Fresh* fresh = nullptr);

  // No scan has changed: evaluate the whole rule.
  static constexpr std::size_t kNothing = SIZE_MAX;

 private:
  // A condition in execution order, with what is known when it runs.
  struct Step {
    const MetricLiteral* literal = nullptr;
    const MetricTable* table = nullptr;  // for scans and totals
    const RowIndex* index = nullptr;     // null: scan all rows
    bool is_negated = false;
    bool is_fresh = false;
    std::vector<std::pair<Index, const Shape*>> known;  // columns with known values, in order
    std::vector<std::pair<Index, Index>> binds;         // columns that bind a register
    std::vector<std::pair<Index, Index>> repeats;       // columns that must equal a register bound by this step
    const MetricTest* test = nullptr;
    std::optional<Index> defines;
    const Expression* source = nullptr;  // of the defined register
  };

  [[nodiscard]] bool plan(TableOf table_of, std::size_t changed);
  [[nodiscard]] std::pair<int, std::size_t> rank(std::size_t literal, bool is_changed) const;
  void add_step(std::size_t literal, std::size_t changed);
  void add_columns(Step& step, const std::vector<Shape>& columns);
  [[nodiscard]] bool is_bound(const std::vector<Index>& registers) const;
  [[nodiscard]] bool gives(const MetricTest& test, bool is_left) const;
  const MetricTable& total_of(std::size_t literal, TableOf table_of);

  void run(std::size_t at, const Intervals& during);
  void run_fresh(const Step& step);
  void run_scan(std::size_t at, const Intervals& during);
  void run_negated(std::size_t at, const Intervals& during);
  void each_match(const Step& step, FunctionRef<void(Index row)> see);
  bool match(const Step& step, Index row);
  bool passes(const Step& step);
  [[nodiscard]] bool are_numbers(const std::vector<Index>& registers) const;
  [[nodiscard]] std::optional<Value> plain(const Expression& expression) const;
  [[nodiscard]] Value known_value(const Shape& shape) const {
    return shape.kind == ShapeKind::kConstant ? shape.constant : registers_[shape.reg];
  }
  void emit(const Intervals& during);

  // The table of a total, and the columns of its groups and its result.
  struct TotalTable {
    std::optional<MetricTable> table;
    std::vector<Shape> columns;
  };

  const MetricJoin& rule_;
  TermTable& terms_;
  Host& host_;
  Arithmetic arithmetic_;
  std::vector<TotalTable> totals_;                // by literal; empty for other literals
  std::vector<std::vector<Index>> registers_of_;  // by literal: the registers that other literals see
  std::vector<const MetricTable*> tables_;        // by literal
  std::vector<bool> is_bound_;
  std::vector<Value> registers_;
  std::vector<Step> steps_;
  const Intervals always_{kAllTime};
  std::size_t step_count_ = 0;
  std::vector<Intervals> lists_;  // by step
  std::vector<Intervals> spare_;
  const Fresh* fresh_ = nullptr;
  Derived* out_ = nullptr;
};

// The values of a total, each with the intervals in which it is constant: group columns, then the value.
void find_totals(const MetricTotal& total, const MetricTable& source, TermTable& terms, Host& host,
                 const Arithmetic& arithmetic, MetricTable& into);

}  // namespace holdsfor
