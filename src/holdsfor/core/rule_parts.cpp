#include "rule_parts.h"

#include <algorithm>
#include <set>
#include <utility>

namespace holdsfor {
namespace {

bool asks_host(const Expression& expression) {
  return expression.kind == ExpressionKind::kTerm || expression.kind == ExpressionKind::kCalendar ||
         std::any_of(expression.args.begin(), expression.args.end(), asks_host);
}

bool all_of_blocks(const Instruction& one, bool (*is_such)(const Instruction&)) {
  return std::all_of(one.blocks.begin(), one.blocks.end(),
                     [&](const Block& block) { return std::all_of(block.begin(), block.end(), is_such); });
}

// Whether an instruction needs nothing but values, and no host to find them.
bool is_computed(const Instruction& one) {
  switch (one.op) {
    case Op::kCompare:
    case Op::kAssign:
    case Op::kEqual:
    case Op::kFacts:
    case Op::kNegate:
    case Op::kChoose:
    case Op::kBranch:
      return std::none_of(one.expressions.begin(), one.expressions.end(), asks_host) && all_of_blocks(one, is_computed);
    default:
      return false;
  }
}

// Whether an instruction finds something or not, and never has anything to report: what comes behind it may be decided
// before.
bool is_silent(const Instruction& one) {
  switch (one.op) {
    case Op::kEvents:
    case Op::kHolding:
    case Op::kEdges:
    case Op::kEndable:
    case Op::kEqual:
    case Op::kFacts:
      return true;
    case Op::kNegate:
      return all_of_blocks(one, is_silent);
    default:
      return false;
  }
}

using Registers = std::set<Index>;

// Registers in terms: those that get a value there, or those that have one.
void add(const Shape& shape, bool is_bound_here, Registers& into) {
  const ShapeKind wanted = is_bound_here ? ShapeKind::kBind : ShapeKind::kRegister;
  if (shape.kind == wanted) into.insert(shape.reg);
  for (const Shape& item : shape.items) add(item, is_bound_here, into);
}

void add(const std::vector<Shape>& shapes, bool is_bound_here, Registers& into) {
  for (const Shape& shape : shapes) add(shape, is_bound_here, into);
}

void add_read(const Expression& expression, Registers& into) {
  if (expression.kind == ExpressionKind::kRegister) into.insert(expression.reg);
  if (expression.kind == ExpressionKind::kTerm) add(expression.term, false, into);
  for (const Expression& arg : expression.args) add_read(arg, into);
}

// All registers whose values an instruction needs, reports included.
void add_read(const Instruction& one, Registers& into) {
  add(one.columns, false, into);
  add(one.value, false, into);
  for (const Expression& expression : one.expressions) add_read(expression, into);
  if (!one.time.binds) into.insert(one.time.reg);
  into.insert(one.inputs.begin(), one.inputs.end());
  into.insert(one.outputs.begin(), one.outputs.end());
  into.insert(one.site.row.begin(), one.site.row.end());
  for (const PairShape& place : one.places) {
    add(place.columns, false, into);
    add(place.value, false, into);
  }
  for (const Block& block : one.blocks) {
    for (const Instruction& inner : block) add_read(inner, into);
  }
}

// The registers that an instruction gives a value; those inside a negation are gone afterwards.
void add_bound(const Instruction& one, Registers& into) {
  add(one.columns, true, into);
  add(one.value, true, into);
  if (one.op == Op::kNegate) return;
  for (const Block& block : one.blocks) {
    for (const Instruction& inner : block) add_bound(inner, into);
  }
}

void add_bound_inside(const Instruction& one, Registers& into) {
  add_bound(one, into);
  for (const Block& block : one.blocks) {
    for (const Instruction& inner : block) add_bound_inside(inner, into);
  }
}

bool is_row_only(const Instruction& one, const Registers& known) {
  if (!is_computed(one)) return false;
  Registers read;
  Registers inside;
  add_read(one, read);
  add_bound_inside(one, inside);
  return std::all_of(read.begin(), read.end(), [&](Index reg) { return known.contains(reg) || inside.contains(reg); });
}

bool is_any_in(const Registers& some, const Registers& others) {
  return std::any_of(some.begin(), some.end(), [&](Index reg) { return others.contains(reg); });
}

// Which instructions are left to do for a row that passes the tests: not those that give nothing that is needed. Where
// facts give a register one value after the other, what is said of it must hold of each value.
std::vector<bool> instructions_left(const Rule& rule) {
  const Block& block = rule.program.block;
  std::vector<Registers> read(block.size());
  std::vector<Registers> bound(block.size());
  for (std::size_t at = 1; at < block.size(); ++at) {
    add_read(block[at], read[at]);
    add_bound(block[at], bound[at]);
  }
  Registers needed;
  add(rule.columns, false, needed);
  add(rule.value, false, needed);
  Registers variable;
  std::vector<bool> is_left(block.size());
  const auto has_one_answer = [&](std::size_t at) {
    const Op op = block[at].op;
    return op == Op::kAssign || op == Op::kEqual || op == Op::kCompare || op == Op::kNegate;
  };
  for (std::size_t known = SIZE_MAX; known != needed.size() + variable.size();) {
    known = needed.size() + variable.size();
    for (std::size_t at = 1; at < block.size(); ++at) {
      const bool is_tested = std::binary_search(rule.row_tests.begin(), rule.row_tests.end(), static_cast<Index>(at));
      is_left[at] = !is_tested || is_any_in(bound[at], needed) || is_any_in(read[at], variable);
      if (!is_left[at]) continue;
      needed.insert(read[at].begin(), read[at].end());
      if (has_one_answer(at) && !is_any_in(read[at], variable)) continue;
      variable.insert(bound[at].begin(), bound[at].end());
    }
  }
  return is_left;
}

// Tests that are made again for each value of a register need not be made with the row. A test behind one of these must
// not hide what that has to report.
void drop_repeated_tests(Rule& rule) {
  const Block& block = rule.program.block;
  const std::vector<bool> is_left = instructions_left(rule);
  std::vector<Index> tests;
  Registers unknown;  // registers of tests that are dropped
  for (const Index at : rule.row_tests) {
    Registers read;
    add_read(block[at], read);
    const bool has_one_answer = block[at].op == Op::kAssign || block[at].op == Op::kEqual;
    if ((!is_left[at] || has_one_answer) && !is_any_in(read, unknown)) {
      tests.push_back(at);
      continue;
    }
    if (!is_silent(block[at])) break;
    add_bound(block[at], unknown);
  }
  rule.row_tests = std::move(tests);
}

}  // namespace

bool is_row_rule(const Rule& rule) {
  const Block& block = rule.program.block;
  return !block.empty() && block[0].op == Op::kEvents && !block[0].time.binds && block[0].time.reg == 0;
}

void split_rule(Rule& rule) {
  const Block& block = rule.program.block;
  Registers known{0};
  add(block[0].columns, true, known);
  for (Index at = 1; at < block.size(); ++at) {
    const bool is_decided = is_row_only(block[at], known);
    if (is_decided) {
      rule.row_tests.push_back(at);
      add_bound(block[at], known);
    } else if (!is_silent(block[at])) {
      break;
    }
  }
  drop_repeated_tests(rule);
  const std::vector<bool> is_left = instructions_left(rule);
  for (std::size_t at = 1; at < block.size(); ++at) {
    if (is_left[at]) rule.row_rest.push_back(block[at]);
  }
}

}  // namespace holdsfor
