#include "dependencies.h"

#include "plan_reads.h"

namespace holdsfor {

Dependencies::Dependencies(const Plan& plan) : direct_(plan.tables.size()), reached_(plan.tables.size()) {
  for (const Stage& stage : plan.stages) {
    for (const Component& component : stage.components) {
      std::vector<Index> read(component.tables);
      each_read(component, [&](Index table, const Instruction& /*unused*/) { read.push_back(table); });
      for (const Index table : component.tables) direct_[table].insert(direct_[table].end(), read.begin(), read.end());
      // A delayed effect may have a fluent of another component as its target.
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
