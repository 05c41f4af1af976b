#include "program_reader.h"

#include <bit>
#include <string_view>
#include <utility>

#include "aggregates.h"
#include "arithmetic.h"

namespace holdsfor {
namespace {

// The kinds of nested records; the numbers are those of the compiler.
enum class Kind : std::int64_t {
  kConstant = 1,
  kRegister,
  kAnything,
  kStructure,
  kApply,
  kCalendar,
  kFirstInstruction,
};

constexpr std::string_view kComparisons[] = {"<", ">", "=<", ">=", "=:=", "=\\="};
constexpr std::string_view kOperators[] = {"union_all",      "intersect_all", "relative_complement_all",
                                           "complement_all", "seq",           "allen",
                                           "intDurGreater",  "intDurLess",    "intDurAtLeast",
                                           "intDurAtMost",   "diamond_minus", "box_minus",
                                           "diamond_plus",   "box_plus",      "since",
                                           "until"};

constexpr std::string_view kCalendarFields[] = {"year", "month", "day", "weekday", "hour", "minute", "time_of_day"};

}  // namespace

Value ProgramReader::constant() {
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

Value ProgramReader::big_integer() {
  const std::string& digits = text();
  const std::size_t sign = digits.starts_with('-') ? 1 : 0;
  const bool is_number = digits.size() > sign && digits.find_first_not_of("0123456789", sign) == std::string::npos;
  if (!is_number) refuse_plan("a number is none");
  return terms_.big_integer(digits);
}

Shape ProgramReader::shape() {
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

Shape ProgramReader::structure() {
  Shape found;
  const std::string& functor = text();
  found.kind = functor == "[]" ? ShapeKind::kList : ShapeKind::kStructure;
  if (found.kind == ShapeKind::kStructure) found.constant = terms_.name(functor);
  list(found.items, [&] { return shape(); });
  found.has_tail = flag();
  if (found.has_tail) found.items.push_back(shape());
  return folded(std::move(found));
}

// Replaces a term without registers by a constant.
Shape ProgramReader::folded(Shape shape) {
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

Expression ProgramReader::expression() {
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

Site ProgramReader::site() {
  Site found;
  found.number = index();
  const std::size_t count = length();
  for (std::size_t i = 0; i < count; ++i) {
    text();
    if (flag()) {
      constant();  // the host knows constant values
    } else {
      found.row.push_back(index());
    }
  }
  return found;
}

Instant ProgramReader::instant() {
  Instant found;
  found.reg = index();
  found.binds = flag();
  if (flag()) found.least = word();
  if (flag()) found.most = word();
  return found;
}

void ProgramReader::columns(std::vector<Shape>& into) {
  list(into, [&] { return shape(); });
}

Block ProgramReader::block() {
  Block found;
  list(found, [&] { return instruction(); });
  return found;
}

Instruction ProgramReader::instruction() {
  Instruction found;
  constexpr auto kFirst = static_cast<std::int64_t>(Kind::kFirstInstruction);
  const std::int64_t kind = word();
  // Check the range before the subtraction, because the word may have any value.
  if (kind < kFirst || kind > kFirst + static_cast<std::int64_t>(Op::kRead)) refuse_plan("an instruction is unknown");
  found.op = static_cast<Op>(kind - kFirst);
  read_fields(found);
  return found;
}

void ProgramReader::read_fields(Instruction& found) {
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

// A sliding aggregate. Its window is over the events at the beginning of its block.
void ProgramReader::window(Instruction& found) {
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

std::int8_t ProgramReader::aggregate() {
  const std::int64_t found = word();
  if (found < -1 || found > static_cast<std::int64_t>(Aggregate::kDistinct)) refuse_plan("an aggregate is unknown");
  return static_cast<std::int8_t>(found);
}

Program ProgramReader::program() {
  Program found;
  found.block = block();
  found.registers = index();
  found.lists = index();
  return found;
}

PairShape ProgramReader::pair() {
  PairShape found;
  found.table = index();
  columns(found.columns);
  found.value = shape();
  return found;
}

}  // namespace holdsfor
