// Bodies of metric rules: joins of tuples during the time that their intervals have in common.
#pragma once

#include <optional>
#include <vector>

#include "arithmetic.h"
#include "function_ref.h"
#include "metric_plan.h"
#include "metric_table.h"

namespace holdsfor {

// What rules derive: tuples one after the other, each with an interval.
struct Derived {
  std::vector<Value> cells;
  std::vector<Interval> during;

  void clear() {
    cells.clear();
    during.clear();
  }
};

// A part of the interval list of a row that is new.
struct FreshPiece {
  Index row = 0;
  Interval during;
};
using Fresh = std::vector<FreshPiece>;

using TableOf = FunctionRef<const MetricTable&(Index relation)>;

class MetricBody {
 public:
  MetricBody(const MetricJoin& rule, TermTable& terms, Host& host);

  // The tables have changed since the last call in other ways than by growing.
  void begin();
  // What the rule derives. With `fresh`, only what follows from these pieces of the scan with the number `changed`.
  void solve(TableOf table_of, Derived& out, std::size_t changed = kNothing, const Fresh* fresh = nullptr);

  static constexpr std::size_t kNothing = SIZE_MAX;

 private:
  // A condition in the order in which it is solved, with what is known of it then.
  struct Step {
    const MetricLiteral* literal = nullptr;
    const MetricTable* table = nullptr;  // of scans and totals
    const RowIndex* index = nullptr;     // null: all rows are looked at
    bool is_negated = false;
    bool is_fresh = false;
    std::vector<std::pair<Index, const Shape*>> known;  // columns whose values are known, in order
    std::vector<std::pair<Index, Index>> binds;         // columns that give registers their values
    std::vector<std::pair<Index, Index>> repeats;       // columns that must have the value of a register bound here
    const MetricTest* test = nullptr;
    std::optional<Index> defines;
    const Expression* source = nullptr;  // of what it defines
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

  // A total, and where its groups and its result stand.
  struct TotalTable {
    std::optional<MetricTable> table;
    std::vector<Shape> columns;
  };

  const MetricJoin& rule_;
  TermTable& terms_;
  Host& host_;
  Arithmetic arithmetic_;
  std::vector<TotalTable> totals_;                // by literal; empty if it is none
  std::vector<std::vector<Index>> registers_of_;  // by literal: those that others see
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

// The values of a total during the time that each of them is the same: columns of the groups, then the value.
void find_totals(const MetricTotal& total, const MetricTable& source, TermTable& terms, Host& host,
                 const Arithmetic& arithmetic, MetricTable& into);

}  // namespace holdsfor
