#include "metric_reader.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "formulas.h"

namespace holdsfor {
namespace {

// The kinds of records; the numbers are those of the compiler, see holdsfor/physical/codec.py.
enum class Kind : std::int64_t { kScan = 28, kTest, kTotal, kMove, kErode, kLast, kJoin };

struct NamedComparison {
  std::string_view name;
  Comparison comparison;
};
constexpr std::array kComparisons = {
    NamedComparison{"=", Comparison::kEqual},   NamedComparison{"!=", Comparison::kUnequal},
    NamedComparison{"<", Comparison::kLess},    NamedComparison{"<=", Comparison::kAtMost},
    NamedComparison{">", Comparison::kGreater}, NamedComparison{">=", Comparison::kAtLeast},
};
constexpr std::array kFunctions = {Aggregate::kCount, Aggregate::kSum, Aggregate::kLeast, Aggregate::kGreatest};

void find_registers(const Expression& expression, std::vector<Index>& into) {
  if (expression.kind == ExpressionKind::kRegister) into.push_back(expression.reg);
  for (const Expression& arg : expression.args) find_registers(arg, into);
}

void make_formulas(Expression& expression) {
  expression.formula = make_formula(expression);
  for (Expression& arg : expression.args) make_formulas(arg);
}

}  // namespace

MetricPlan MetricReader::metric() {
  MetricPlan found;
  list(found.widths, [&] {
    text();
    return index();
  });
  list(found.strata, [&] { return stratum(); });
  return found;
}

MetricComponent MetricReader::metric_component() {
  MetricComponent found;
  found.plan = metric();
  found.scale = word();
  found.holds = terms().name("true");
  list(found.inputs, [&] {
    const MetricLink link{.relation = index(), .table = index()};
    word();
    word();
    return link;
  });
  list(found.outputs, [&] { return MetricLink{.relation = index(), .table = index()}; });
  list(found.spans, [&] { return span(); });
  list(found.facts, [&] { return given(); });
  found.reach = word();
  origin();
  found.is_rational = flag();
  found.is_forward = flag();
  found.is_final = flag();
  return found;
}

MetricSpan MetricReader::span() {
  MetricSpan found;
  found.before = optional_word();
  found.after = optional_word();
  found.is_endless = flag();
  found.asks_before = flag();
  found.asks_after = flag();
  return found;
}

MetricGiven MetricReader::given() {
  MetricGiven found;
  found.relation = index();
  std::vector<Shape> shapes;
  columns(shapes);
  for (const Shape& shape : shapes) {
    if (shape.kind != ShapeKind::kConstant) refuse_plan("a fact is not ground");
    found.row.push_back(shape.constant);
  }
  const auto start = optional_word();
  const auto end = optional_word();
  found.during = {start.value_or(-kEndless), end.value_or(kEndless)};
  return found;
}

std::optional<Time> MetricReader::optional_word() { return flag() ? std::optional(word()) : std::nullopt; }

MetricStratum MetricReader::stratum() {
  MetricStratum found;
  found.relations = indices();
  list(found.rules, [&] { return rule(); });
  found.is_recursive = flag();
  found.key = indices();
  found.stride = word();
  found.is_backward = flag();
  return found;
}

MetricRule MetricReader::rule() {
  switch (static_cast<Kind>(word())) {
    case Kind::kMove:
      return move(false);
    case Kind::kErode:
      return move(true);
    case Kind::kLast:
      return last();
    case Kind::kJoin:
      return join();
    default:
      refuse_plan("a rule is of no kind");
  }
}

MetricMove MetricReader::move(bool is_box) {
  MetricMove found;
  found.is_box = is_box;
  found.head = index();
  found.source = index();
  found.offsets = offsets();
  origin();
  return found;
}

MetricLast MetricReader::last() {
  MetricLast found;
  found.head = index();
  found.columns = indices();
  found.left = scan();
  found.right = scan();
  found.offsets = offsets();
  found.is_until = flag();
  found.waits = word();
  origin();
  return found;
}

MetricJoin MetricReader::join() {
  MetricJoin found;
  found.head = index();
  columns(found.terms);
  list(found.literals, [&] { return literal(); });
  found.registers = index();
  origin();
  return found;
}

MetricLiteral MetricReader::literal() {
  switch (static_cast<Kind>(word())) {
    case Kind::kScan:
      return scan();
    case Kind::kTest:
      return test();
    case Kind::kTotal:
      return total();
    default:
      refuse_plan("a condition is of no kind");
  }
}

MetricScan MetricReader::scan() {
  MetricScan found;
  found.relation = index();
  columns(found.columns);
  found.negated = flag();
  return found;
}

MetricTest MetricReader::test() {
  MetricTest found;
  const std::string& name = text();
  const auto* const known = std::find_if(kComparisons.begin(), kComparisons.end(),
                                         [&](const NamedComparison& one) { return one.name == name; });
  if (known == kComparisons.end()) refuse_plan("a comparison is unknown");
  found.comparison = known->comparison;
  found.is_numeric = flag();
  found.left = expression();
  found.right = expression();
  make_formulas(found.left);
  make_formulas(found.right);
  find_registers(found.left, found.left_registers);
  find_registers(found.right, found.right_registers);
  return found;
}

MetricTotal MetricReader::total() {
  MetricTotal found;
  const Index function = index();
  if (function >= kFunctions.size()) refuse_plan("an aggregate is unknown");
  found.function = kFunctions.at(function);
  found.result = index();
  found.terms = indices();
  found.groups = indices();
  found.scan = scan();
  return found;
}

Offsets MetricReader::offsets() {
  Offsets found;
  if (flag()) found.low = word();
  if (flag()) found.high = word();
  found.low_open = flag();
  found.high_open = flag();
  return found;
}

std::vector<Index> MetricReader::indices() {
  std::vector<Index> found;
  list(found, [&] { return index(); });
  return found;
}

// The source line of a rule, which only messages need.
void MetricReader::origin() {
  text();
  word();
}

namespace {

class MetricCheck {
 public:
  explicit MetricCheck(const MetricPlan& plan) : plan_(plan) {}

  void run() {
    for (const MetricStratum& stratum : plan_.strata) {
      for (const Index relation : stratum.relations) require(relation < plan_.widths.size());
      require(stratum.stride >= 0 && (stratum.key.empty() || stratum.key.size() == stratum.relations.size()));
      for (std::size_t i = 0; i < stratum.key.size(); ++i) {
        require(stratum.key[i] < plan_.widths[stratum.relations[i]]);
      }
      for (const MetricRule& rule : stratum.rules) std::visit([&](const auto& one) { check(one, stratum); }, rule);
    }
  }

 private:
  static void require(bool is_right) {
    if (!is_right) refuse_plan("a metric rule speaks of something that is not there");
  }
  void check_head(Index head, std::size_t width, const MetricStratum& stratum) const {
    require(std::find(stratum.relations.begin(), stratum.relations.end(), head) != stratum.relations.end());
    require(plan_.widths[head] == width);
  }
  void check_scan(const MetricScan& scan, Index registers) const {
    require(scan.relation < plan_.widths.size() && scan.columns.size() == plan_.widths[scan.relation]);
    for (const Shape& shape : scan.columns) check_shape(shape, registers);
  }
  static void check_shape(const Shape& shape, Index registers) {
    require(shape.kind == ShapeKind::kConstant || shape.kind == ShapeKind::kAnything ||
            (shape.kind == ShapeKind::kRegister && shape.reg < registers));
  }
  static void check_registers(const std::vector<Index>& some, Index registers) {
    for (const Index reg : some) require(reg < registers);
  }

  void check(const MetricMove& rule, const MetricStratum& stratum) const {
    require(rule.source < plan_.widths.size());
    check_head(rule.head, plan_.widths[rule.source], stratum);
  }
  // The columns of each side are distinct registers, and `columns` contains all of them.
  void check(const MetricLast& rule, const MetricStratum& stratum) const {
    check_head(rule.head, rule.columns.size(), stratum);
    for (const MetricScan* side : {&rule.left, &rule.right}) {
      check_scan(*side, kNoRegisters);
      for (std::size_t i = 0; i < side->columns.size(); ++i) {
        const Shape& shape = side->columns[i];
        require(shape.kind == ShapeKind::kRegister);
        require(std::find(rule.columns.begin(), rule.columns.end(), shape.reg) != rule.columns.end());
        for (std::size_t other = 0; other < i; ++other) require(side->columns[other].reg != shape.reg);
      }
    }
    for (const Index reg : rule.columns) {
      const auto has = [reg](const Shape& shape) { return shape.reg == reg; };
      require(std::any_of(rule.left.columns.begin(), rule.left.columns.end(), has) ||
              std::any_of(rule.right.columns.begin(), rule.right.columns.end(), has));
    }
  }
  void check(const MetricJoin& rule, const MetricStratum& stratum) const {
    require(rule.registers <= kMostRegisters);
    check_head(rule.head, rule.terms.size(), stratum);
    for (const Shape& shape : rule.terms) {
      require(shape.kind != ShapeKind::kAnything);
      check_shape(shape, rule.registers);
    }
    for (const MetricLiteral& literal : rule.literals) {
      if (const auto* scan = std::get_if<MetricScan>(&literal)) {
        check_scan(*scan, rule.registers);
      } else if (const auto* test = std::get_if<MetricTest>(&literal)) {
        check_registers(test->left_registers, rule.registers);
        check_registers(test->right_registers, rule.registers);
      } else {
        check_total(std::get<MetricTotal>(literal), rule.registers);
      }
    }
  }
  void check_total(const MetricTotal& total, Index registers) const {
    check_scan(total.scan, registers);
    require(!total.terms.empty() && total.result < registers && !total.scan.negated);
    for (const auto* some : {&total.terms, &total.groups}) {
      check_registers(*some, registers);
      for (const Index reg : *some) {
        require(std::any_of(total.scan.columns.begin(), total.scan.columns.end(), [reg](const Shape& shape) {
          return shape.kind == ShapeKind::kRegister && shape.reg == reg;
        }));
      }
    }
  }

  static constexpr Index kNoRegisters = UINT32_MAX;
  static constexpr Index kMostRegisters = 1U << 20U;
  const MetricPlan& plan_;
};

}  // namespace

void check_metric(const Component& component, const std::vector<TableInfo>& tables) {
  const MetricComponent& metric = *component.metric;
  MetricCheck(metric.plan).run();
  const auto& widths = metric.plan.widths;
  const auto require = [](bool is_right) {
    if (!is_right) refuse_plan("metric rules do not fit their tables");
  };
  require(metric.scale > 0 && metric.reach >= 0 && metric.spans.size() == metric.plan.strata.size());
  require(metric.outputs.size() == component.tables.size());
  for (const auto* links : {&metric.inputs, &metric.outputs}) {
    for (const MetricLink& link : *links) {
      require(link.relation < widths.size() && link.table < tables.size());
      require(tables[link.table].columns == widths[link.relation]);
    }
  }
  for (const MetricLink& link : metric.outputs) {
    require(tables[link.table].role == Role::kStaticFluent);
    require(std::find(component.tables.begin(), component.tables.end(), link.table) != component.tables.end());
  }
  for (const MetricGiven& fact : metric.facts) {
    require(fact.relation < widths.size() && fact.row.size() == widths[fact.relation]);
  }
}

}  // namespace holdsfor
