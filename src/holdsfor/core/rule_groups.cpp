#include "rule_groups.h"

#include <algorithm>

namespace holdsfor {
namespace {

bool is_same(const Shape& one, const Shape& other) {
  return one.kind == other.kind && one.reg == other.reg && one.constant == other.constant &&
         one.has_tail == other.has_tail &&
         std::equal(one.items.begin(), one.items.end(), other.items.begin(), other.items.end(), is_same);
}

bool are_same(const std::vector<Shape>& some, const std::vector<Shape>& others) {
  return std::equal(some.begin(), some.end(), others.begin(), others.end(), is_same);
}

bool is_same(const Instant& one, const Instant& other) {
  return one.reg == other.reg && one.binds == other.binds && one.least == other.least && one.most == other.most;
}

// Whether an instruction cannot report a missing value, because a report names its rule.
bool reports_nothing(const Instruction& one) {
  switch (one.op) {
    case Op::kEvents:
    case Op::kHolding:
    case Op::kEdges:
    case Op::kEndable:
    case Op::kFacts:
    case Op::kCall:
    case Op::kEqual:
    case Op::kNegate:
      return true;
    case Op::kCollect:
      return one.aggregate < 0;
    default:
      return false;
  }
}

bool is_same(const Instruction& one, const Instruction& other) {
  if (!reports_nothing(one) || one.op != other.op || one.edge != other.edge || one.negated != other.negated ||
      one.aggregate != other.aggregate || one.table != other.table || one.out != other.out) {
    return false;
  }
  return is_same(one.time, other.time) && are_same(one.columns, other.columns) && is_same(one.value, other.value) &&
         one.inputs == other.inputs && one.outputs == other.outputs &&
         std::equal(
             one.blocks.begin(), one.blocks.end(), other.blocks.begin(), other.blocks.end(),
             [](const Block& a, const Block& b) { return a.size() == b.size() && common_beginning(a, b) == a.size(); });
}

}  // namespace

std::size_t common_beginning(const Block& one, const Block& other) {
  std::size_t found = 0;
  while (found < one.size() && found < other.size() && is_same(one[found], other[found])) ++found;
  return found;
}

}  // namespace holdsfor
