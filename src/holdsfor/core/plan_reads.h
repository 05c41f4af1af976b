// Finds the tables that instructions read.
#pragma once

#include "metric_plan.h"
#include "plan.h"

namespace holdsfor {

// Calls `found` with each table that instructions read, and the instruction.
template <typename Found>
void each_read(const Block& block, const Found& found) {
  for (const Instruction& one : block) {
    switch (one.op) {
      case Op::kEvents:
      case Op::kHolding:
      case Op::kEdges:
      case Op::kEndable:
      case Op::kLookup:
        found(one.table, one);
        break;
      case Op::kDomain:
        for (const PairShape& place : one.places) found(place.table, one);
        break;
      default:
        break;
    }
    for (const Block& inner : one.blocks) each_read(inner, found);
  }
}

template <typename Found>
void each_read(const Component& component, const Found& found) {
  for (const Rule& rule : component.rules) each_read(rule.program.block, found);
  for (const Definition& definition : component.definitions) each_read(definition.program.block, found);
  for (const Delay& delay : component.delays) each_read(delay.program.block, found);
  if (component.metric == nullptr) return;
  // Metric rules read whole interval lists.
  Instruction read;
  read.op = Op::kLookup;
  for (const MetricLink& link : component.metric->inputs) found(link.table, read);
}

}  // namespace holdsfor
