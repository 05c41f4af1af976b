#include "shapes.h"

namespace holdsfor {

Value build(const Shape& shape, std::span<const Value> registers, TermTable& terms) {
  switch (shape.kind) {
    case ShapeKind::kConstant:
      return shape.constant;
    case ShapeKind::kRegister:
    case ShapeKind::kBind:
      return registers[shape.reg];
    case ShapeKind::kAnything:
      return Value::wildcard();
    case ShapeKind::kStructure:
    case ShapeKind::kList:
      break;
  }
  std::vector<Value> items;
  items.reserve(shape.items.size());
  for (const Shape& item : shape.items) items.push_back(build(item, registers, terms));
  if (shape.kind == ShapeKind::kStructure) return terms.compound(shape.constant, items);
  if (!shape.has_tail) return terms.list(items);
  return terms.list(std::span(items).first(items.size() - 1), items.back());
}

}  // namespace holdsfor
