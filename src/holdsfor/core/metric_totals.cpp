// Aggregates of the tuples that hold at the same time: one value for each maximal time without a change.
#include <algorithm>

#include "metric_body.h"

namespace holdsfor {
namespace {

// Reads the rows of a scan as bindings of its registers.
class ScanReader {
 public:
  explicit ScanReader(const MetricScan& scan) : scan_(scan) {}

  // Reads the values of registers from a row. False if the scan does not select the row.
  bool read(std::span<const Value> args, const std::vector<Index>& wanted, std::vector<Value>& into) const {
    for (std::size_t column = 0; column < args.size(); ++column) {
      const Shape& shape = scan_.columns[column];
      if (shape.kind == ShapeKind::kConstant && shape.constant != args[column]) return false;
      if (shape.kind == ShapeKind::kRegister && args[place_of(shape.reg)] != args[column]) return false;
    }
    into.clear();
    for (const Index reg : wanted) into.push_back(args[place_of(reg)]);
    return true;
  }

 private:
  // The first column of a register.
  [[nodiscard]] std::size_t place_of(Index reg) const {
    std::size_t place = 0;
    while (scan_.columns[place].kind != ShapeKind::kRegister || scan_.columns[place].reg != reg) ++place;
    return place;
  }

  const MetricScan& scan_;
};

// A tuple of a group begins or ends to hold.
struct Turn {
  Time time = 0;
  Index row = 0;
  bool is_start = false;
};

class GroupTotals {
 public:
  GroupTotals(const MetricTotal& total, const MetricTable& tuples, TermTable& terms, Host& host,
              const Arithmetic& arithmetic, MetricTable& into)
      : total_(total), tuples_(tuples), terms_(terms), host_(host), arithmetic_(arithmetic), into_(into) {}

  void run(std::span<const Index> rows) {
    turns_.clear();
    for (const Index row : rows) {
      for (const Interval& one : tuples_.list(row)) {
        turns_.push_back({one.start, row, true});
        turns_.push_back({one.end, row, false});
      }
    }
    std::sort(turns_.begin(), turns_.end(), [](const Turn& one, const Turn& other) { return one.time < other.time; });
    const auto group = tuples_.args(rows.front()).first(total_.groups.size());
    head_.assign(group.begin(), group.end());
    head_.emplace_back();
    holding_.clear();
    for (std::size_t i = 0; i < turns_.size();) {
      const Time time = turns_[i].time;
      for (; i < turns_.size() && turns_[i].time == time; ++i) turn(turns_[i]);
      if (!holding_.empty()) add({time, turns_[i].time});
    }
  }

 private:
  void turn(const Turn& one) {
    if (one.is_start) {
      holding_.push_back(one.row);
    } else {
      *std::find(holding_.begin(), holding_.end(), one.row) = holding_.back();
      holding_.pop_back();
    }
  }
  void add(Interval during) {
    std::optional<Value> value = Value::integer(static_cast<std::int64_t>(holding_.size()));
    if (total_.function != Aggregate::kCount) {
      items_.clear();
      for (const Index row : holding_) items_.push_back(tuples_.args(row)[total_.groups.size()]);
      value = aggregate(total_.function, items_, arithmetic_, terms_, host_);
    }
    if (!value) return;
    head_.back() = arithmetic_.term(*value);
    into_.add(head_, during);
  }

  const MetricTotal& total_;
  const MetricTable& tuples_;
  TermTable& terms_;
  Host& host_;
  const Arithmetic& arithmetic_;
  MetricTable& into_;
  std::vector<Turn> turns_;
  std::vector<Index> holding_;
  std::vector<Value> items_;
  std::vector<Value> head_;
};

}  // namespace

void find_totals(const MetricTotal& total, const MetricTable& source, TermTable& terms, Host& host,
                 const Arithmetic& arithmetic, MetricTable& into) {
  std::vector<Index> wanted = total.groups;
  wanted.insert(wanted.end(), total.terms.begin(), total.terms.end());
  MetricTable tuples(wanted.size());
  MetricTable groups(total.groups.size());
  std::vector<std::vector<Index>> rows_of;
  const ScanReader reader(total.scan);
  std::vector<Value> tuple;
  for (Index row = 0; row < source.rows(); ++row) {
    if (!reader.read(source.args(row), wanted, tuple)) continue;
    // Terms that are not numbers have no sum, and are neither minimum nor maximum.
    if (total.function != Aggregate::kCount && !terms.is_number(tuple[total.groups.size()])) continue;
    const Index known = tuples.rows();
    const Index made = tuples.row_of(tuple);
    for (const Interval& one : source.list(row)) tuples.add(tuple, one);
    if (made != known) continue;
    const Index group = groups.row_of(std::span(tuple).first(total.groups.size()));
    if (group == rows_of.size()) rows_of.emplace_back();
    rows_of[group].push_back(made);
  }
  GroupTotals totals(total, tuples, terms, host, arithmetic, into);
  for (const auto& rows : rows_of) totals.run(rows);
}

}  // namespace holdsfor
