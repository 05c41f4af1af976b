#include <algorithm>
#include <bit>
#include <utility>

#include "aggregates.h"
#include "arithmetic.h"
#include "plan.h"
#include "plan_check.h"
#include "plan_words.h"

namespace holdsfor {
namespace {

// The kinds of records that may stand where others may, as the compiler numbers them.
enum class Kind : std::int64_t {
  kConstant = 1,
  kRegister,
  kAnything,
  kStructure,
  kApply,
  kCalendar,
  kFirstInstruction,
};

// Whether a term of a head has a variable that nothing gives a value.
bool is_open(const Shape& shape) {
  return shape.kind == ShapeKind::kAnything || std::any_of(shape.items.begin(), shape.items.end(), is_open);
}

constexpr std::string_view kComparisons[] = {"<", ">", "=<", ">=", "=:=", "=\\="};
constexpr std::string_view kOperators[] = {"union_all",      "intersect_all", "relative_complement_all",
                                           "complement_all", "seq",           "allen",
                                           "intDurGreater",  "intDurLess",    "intDurAtLeast",
                                           "intDurAtMost",   "diamond_minus", "box_minus",
                                           "diamond_plus",   "box_plus",      "since",
                                           "until"};

// How deep records may lie in each other: reading and running are recursive.
constexpr int kDeepest = 200;

constexpr std::string_view kCalendarFields[] = {"year", "month", "day", "weekday", "hour", "minute", "time_of_day"};

class Reader : private PlanWords {
 public:
  Reader(std::span<const std::byte> bytes, TermTable& terms) : PlanWords(bytes), terms_(terms) {}

  Plan plan() {
    Plan plan;
    plan.fingerprint = fingerprint();
    list(plan.tables, [&] { return table(); });
    list(plan.facts, [&] { return facts(); });
    plan.goals = goals();
    list(plan.stages, [&] { return stage(); });
    list(plan.initially, [&] { return condition(); });
    list(plan.postpones, [&] { return condition(); });
    list(plan.groundings, [&] { return condition(); });
    plan.max_delayed_effects = word();
    text();
    plan.settle = distance();
    text();
    if (!is_at_end()) refuse_plan("something follows it");
    return plan;
  }

 private:
  // One record inside another.
  struct Inside {
    explicit Inside(int& depth) : depth_(depth) {
      if (++depth_ > kDeepest) refuse_plan("it is too deep");
    }
    ~Inside() { --depth_; }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    Inside(Inside&&) = delete;
    Inside& operator=(Inside&&) = delete;

   private:
    int& depth_;
  };

  template <typename T, typename Read>
  void list(std::vector<T>& into, Read read) {
    const Inside inside(depth_);
    const std::size_t count = length();
    for (std::size_t i = 0; i < count; ++i) into.push_back(read());
  }
  template <typename E>
  E one_of(E last) {
    const std::int64_t found = word();
    if (found < 0 || found > static_cast<std::int64_t>(last)) refuse_plan("a kind is unknown");
    return static_cast<E>(found);
  }
  template <std::size_t N>
  std::size_t named(const std::string_view (&names)[N]) {
    const std::string& wanted = text();
    for (std::size_t i = 0; i < N; ++i) {
      if (names[i] == wanted) return i;
    }
    refuse_plan("an operator is unknown");
  }

  Value constant() {
    switch (word()) {
      case 0:
        return terms_.name(text());
      case 1:
        return terms_.integer(word());
      case 2:
        return terms_.real(std::bit_cast<double>(word()));
      case 3:
        return big_integer();
      default:
        refuse_plan("a constant is of no kind");
    }
  }

  Value big_integer() {
    const std::string& digits = text();
    const std::size_t sign = digits.starts_with('-') ? 1 : 0;
    const bool is_number = digits.size() > sign && digits.find_first_not_of("0123456789", sign) == std::string::npos;
    if (!is_number) refuse_plan("a number is none");
    return terms_.big_integer(digits);
  }

  Shape shape() {
    const Inside inside(depth_);
    Shape found;
    switch (static_cast<Kind>(word())) {
      case Kind::kConstant:
        found.kind = ShapeKind::kConstant;
        found.constant = constant();
        return found;
      case Kind::kRegister:
        found.reg = index();
        found.kind = flag() ? ShapeKind::kBind : ShapeKind::kRegister;
        return found;
      case Kind::kAnything:
        return found;
      case Kind::kStructure:
        return structure();
      default:
        refuse_plan("a term is of no kind");
    }
  }

  Shape structure() {
    Shape found;
    const std::string& functor = text();
    found.kind = functor == "[]" ? ShapeKind::kList : ShapeKind::kStructure;
    if (found.kind == ShapeKind::kStructure) found.constant = terms_.name(functor);
    list(found.items, [&] { return shape(); });
    found.has_tail = flag();
    if (found.has_tail) found.items.push_back(shape());
    return folded(std::move(found));
  }

  // A term without registers is one constant.
  Shape folded(Shape shape) {
    std::vector<Value> args;
    for (const Shape& item : shape.items) {
      if (item.kind != ShapeKind::kConstant || shape.has_tail) return shape;
      args.push_back(item.constant);
    }
    Shape found;
    found.constant = shape.kind == ShapeKind::kList ? terms_.list(args) : terms_.compound(shape.constant, args);
    found.kind = ShapeKind::kConstant;
    return found;
  }

  Expression expression() {
    const Inside inside(depth_);
    Expression found;
    switch (static_cast<Kind>(word())) {
      case Kind::kConstant:
        found.kind = ExpressionKind::kConstant;
        found.constant = constant();
        return found;
      case Kind::kRegister:
        found.kind = ExpressionKind::kRegister;
        found.reg = index();
        flag();
        return found;
      case Kind::kStructure:
        found.term = structure();
        return found;
      case Kind::kApply: {
        const std::string& name = text();
        list(found.args, [&] { return expression(); });
        const auto function = function_of(name, found.args.size());
        if (!function) refuse_plan("a function is unknown");
        found.function = static_cast<std::uint8_t>(*function);
        found.kind = ExpressionKind::kApply;
        return found;
      }
      case Kind::kCalendar: {
        found.kind = ExpressionKind::kCalendar;
        found.function = static_cast<std::uint8_t>(named(kCalendarFields));
        found.args.push_back(expression());
        found.unit = word();
        if (found.unit <= 0) refuse_plan("a unit of time is not positive");
        found.constant = terms_.name(text());
        return found;
      }
      default:
        refuse_plan("an expression is of no kind");
    }
  }

  Site site() {
    Site found;
    found.number = index();
    const std::size_t count = length();
    for (std::size_t i = 0; i < count; ++i) {
      text();
      if (flag()) {
        constant();  // what always has the same value, the host knows
      } else {
        found.row.push_back(index());
      }
    }
    return found;
  }
  // The line of a rule, which is for people.
  void origin() {
    text();
    word();
  }

  Instant instant() {
    Instant found;
    found.reg = index();
    found.binds = flag();
    if (flag()) found.least = word();
    if (flag()) found.most = word();
    return found;
  }

  void columns(std::vector<Shape>& into) {
    list(into, [&] { return shape(); });
  }
  Block block() {
    Block found;
    list(found, [&] { return instruction(); });
    return found;
  }

  Instruction instruction() {
    Instruction found;
    constexpr auto kFirst = static_cast<std::int64_t>(Kind::kFirstInstruction);
    const std::int64_t kind = word();
    // Looked at before it is counted from the first: any word may stand here.
    if (kind < kFirst || kind > kFirst + static_cast<std::int64_t>(Op::kRead)) refuse_plan("an instruction is unknown");
    found.op = static_cast<Op>(kind - kFirst);
    read_fields(found);
    return found;
  }

  void read_fields(Instruction& found) {
    switch (found.op) {
      case Op::kEvents:
        found.table = index();
        columns(found.columns);
        found.time = instant();
        return;
      case Op::kHolding:
        found.table = index();
        columns(found.columns);
        found.value = shape();
        found.time = instant();
        return;
      case Op::kEdges:
        found.table = index();
        found.edge = one_of(EdgeKind::kTerminated);
        columns(found.columns);
        found.value = shape();
        found.time = instant();
        return;
      case Op::kEndable:
        found.table = index();
        columns(found.columns);
        found.value = shape();
        return;
      case Op::kFacts:
        found.table = index();
        columns(found.columns);
        return;
      case Op::kCall:
        found.table = index();
        list(found.inputs, [&] { return index(); });
        list(found.outputs, [&] { return index(); });
        found.site = site();
        return;
      case Op::kCompare:
        found.comparison = static_cast<Comparison>(named(kComparisons));
        found.expressions.push_back(expression());
        found.expressions.push_back(expression());
        found.site = site();
        return;
      case Op::kEqual:
        found.columns.push_back(shape());
        found.columns.push_back(shape());
        found.negated = flag();
        return;
      case Op::kAssign:
        found.columns.push_back(shape());
        found.expressions.push_back(expression());
        found.site = site();
        return;
      case Op::kNegate:
        found.blocks.push_back(block());
        return;
      case Op::kChoose:
        list(found.blocks, [&] { return block(); });
        return;
      case Op::kBranch:
        found.blocks.push_back(block());
        found.blocks.push_back(block());
        if (flag()) found.blocks.push_back(block());
        return;
      case Op::kCollect:
        found.columns.push_back(shape());
        found.blocks.push_back(block());
        found.columns.push_back(shape());
        found.aggregate = aggregate();
        found.site = site();
        if (flag()) window(found);
        return;
      case Op::kDomain:
        found.out = index();
        list(found.places, [&] { return pair(); });
        return;
      case Op::kLookup:
        found.table = index();
        columns(found.columns);
        found.value = shape();
        found.out = index();
        return;
      case Op::kOperate:
        found.interval_operator = static_cast<IntervalOperator>(named(kOperators));
        list(found.inputs, [&] { return index(); });
        found.out = index();
        list(found.parameters, [&] { return word(); });
        if (flag()) found.expressions.push_back(expression());
        if (flag()) found.outputs.push_back(index());
        found.site = site();
        return;
      case Op::kEmpty:
        found.out = index();
        found.negated = flag();
        found.gives = flag();
        return;
      case Op::kCopy:
        found.inputs.push_back(index());
        found.out = index();
        found.negated = flag();
        return;
      case Op::kListCall:
        found.table = index();
        list(found.inputs, [&] { return index(); });
        list(found.outputs, [&] { return index(); });
        list(found.list_inputs, [&] { return index(); });
        list(found.list_outputs, [&] { return index(); });
        found.site = site();
        return;
      case Op::kSpell:
        found.inputs.push_back(index());
        found.outputs.push_back(index());
        return;
      case Op::kRead:
        found.columns.push_back(shape());
        found.out = index();
        found.site = site();
        return;
    }
  }

  // A sliding aggregate: its window is that of the events that its block begins with.
  void window(Instruction& found) {
    found.expressions.push_back(expression());
    if (flag()) found.expressions.push_back(expression());
    list(found.inputs, [&] { return index(); });
    found.out = slides_++;
    const Block& block = found.blocks[0];
    if (block.empty() || block[0].op != Op::kEvents) refuse_plan("a sliding aggregate is not one of events");
    for (const Index place : found.inputs) {
      if (place >= block[0].columns.size()) refuse_plan("a number is out of range");
    }
  }

  std::int8_t aggregate() {
    const std::int64_t found = word();
    if (found < -1 || found > static_cast<std::int64_t>(Aggregate::kDistinct)) refuse_plan("an aggregate is unknown");
    return static_cast<std::int8_t>(found);
  }
  Program program() {
    Program found;
    found.block = block();
    found.registers = index();
    found.lists = index();
    return found;
  }
  PairShape pair() {
    PairShape found;
    found.table = index();
    columns(found.columns);
    found.value = shape();
    return found;
  }
  Rule rule() {
    Rule found;
    found.kind = one_of(HeadKind::kHappen);
    found.table = index();
    columns(found.columns);
    if (flag()) found.value = shape();
    found.program = program();
    list(found.drivers, [&] { return index(); });
    list(found.row_tests, [&] { return index(); });
    list(found.row_rest, [&] { return index(); });
    origin();
    found.has_open_head = (found.kind != HeadKind::kHappen && is_open(found.value)) ||
                          std::any_of(found.columns.begin(), found.columns.end(), is_open);
    return found;
  }
  Delay delay() {
    Delay found;
    found.trigger = pair();
    found.program = program();
    found.delay = expression();
    if (flag()) found.effect = effect();
    found.site = site();
    origin();
    return found;
  }
  // A tuple of three.
  PairShape effect() {
    if (word() != 3) refuse_plan("an effect is incomplete");
    PairShape found;
    found.table = index();
    columns(found.columns);
    found.value = shape();
    return found;
  }
  Condition condition() {
    Condition found;
    found.pair = pair();
    found.program = program();
    origin();
    return found;
  }
  Definition definition() {
    Definition found;
    found.head = pair();
    found.program = program();
    found.out = index();
    origin();
    return found;
  }
  Decision decision() {
    Decision found;
    found.kind = one_of(MomentKind::kEvent);
    found.table = index();
    found.value = shape();
    return found;
  }
  Group group() {
    Group found;
    list(found.rules, [&] { return index(); });
    list(found.decisions, [&] { return decision(); });
    found.repeats = flag();
    return found;
  }
  Component component() {
    Component found;
    list(found.tables, [&] { return index(); });
    list(found.groups, [&] { return group(); });
    list(found.rules, [&] { return rule(); });
    list(found.definitions, [&] { return definition(); });
    list(found.delays, [&] { return delay(); });
    found.is_static = flag();
    return found;
  }
  Route route() {
    Route found;
    found.table = index();
    const auto indices = [&] {
      std::vector<Index> some;
      list(some, [&] { return index(); });
      return some;
    };
    list(found.places, indices);
    found.is_shared = flag();
    list(found.parts, indices);
    return found;
  }
  Stage stage() {
    Stage found;
    list(found.components, [&] { return component(); });
    found.key = index();
    list(found.members, [&] { return route(); });
    list(found.inputs, [&] { return route(); });
    text();
    return found;
  }
  TableInfo table() {
    TableInfo found;
    found.label = text();
    found.role = one_of(Role::kStaticFluent);
    found.columns = index();
    found.keep = distance();
    text();
    found.recomputed = flag();
    return found;
  }
  Time distance() {
    const std::int64_t found = word();
    if (found < 0) refuse_plan("a distance is negative");
    return found;
  }
  Index goals() {
    const std::size_t count = length();
    for (std::size_t i = 0; i < count; ++i) {
      text();
      text();
      flag();
    }
    return static_cast<Index>(count);
  }
  FactTable facts() {
    FactTable found;
    found.label = text();
    found.columns = index();
    found.count = length();
    for (std::size_t i = 0; i < found.count; ++i) {
      if (length() != found.columns) refuse_plan("a fact has the wrong number of columns");
      for (Index place = 0; place < found.columns; ++place) {
        const Shape cell = shape();
        if (cell.kind != ShapeKind::kConstant) refuse_plan("a fact is not ground");
        found.rows.push_back(cell.constant);
      }
    }
    return found;
  }

  TermTable& terms_;
  int depth_ = 0;
  Index slides_ = 0;
};

}  // namespace

Plan read_plan(std::span<const std::byte> bytes, TermTable& terms) {
  Plan plan = Reader(bytes, terms).plan();
  check_plan(plan);
  return plan;
}

}  // namespace holdsfor
