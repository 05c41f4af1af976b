#include "dependencies.h"

namespace holdsfor {
namespace {

void add_read(const Block& block, std::vector<Index>& read) {
  for (const Instruction& one : block) {
    switch (one.op) {
      case Op::kEvents:
      case Op::kHolding:
      case Op::kEdges:
      case Op::kEndable:
      case Op::kLookup:
        read.push_back(one.table);
        break;
      default:
        break;
    }
    for (const PairShape& place : one.places) read.push_back(place.table);
    for (const Block& inner : one.blocks) add_read(inner, read);
  }
}

}  // namespace

Dependencies::Dependencies(const Plan& plan) : direct_(plan.tables.size()), reached_(plan.tables.size()) {
  for (const Stage& stage : plan.stages) {
    for (const Component& component : stage.components) {
      std::vector<Index> read(component.tables);
      for (const Rule& rule : component.rules) add_read(rule.program.block, read);
      for (const Definition& definition : component.definitions) add_read(definition.program.block, read);
      for (const Delay& delay : component.delays) add_read(delay.program.block, read);
      for (const Index table : component.tables) direct_[table].insert(direct_[table].end(), read.begin(), read.end());
      // A delayed effect may be on a fluent of another component.
      for (const Delay& delay : component.delays) {
        if (delay.effect) direct_[delay.effect->table].push_back(delay.trigger.table);
      }
    }
  }
}

bool Dependencies::depends(Index table, Index other) {
  std::vector<bool>& reached = reached_[table];
  if (reached.empty()) {
    reached.resize(direct_.size());
    reached[table] = true;
    std::vector<Index> waiting{table};
    while (!waiting.empty()) {
      const Index next = waiting.back();
      waiting.pop_back();
      for (const Index one : direct_[next]) {
        if (reached[one]) continue;
        reached[one] = true;
        waiting.push_back(one);
      }
    }
  }
  return reached[other];
}

}  // namespace holdsfor
