// Reads the metric part of a plan.
#pragma once

#include "metric_plan.h"
#include "program_reader.h"

namespace holdsfor {

class MetricReader : public ProgramReader {
 public:
  using ProgramReader::ProgramReader;

  MetricPlan metric();
  MetricComponent metric_component();

 private:
  MetricStratum stratum();
  MetricRule rule();
  MetricMove move(bool is_box);
  MetricLast last();
  MetricJoin join();
  MetricLiteral literal();
  MetricScan scan();
  MetricTest test();
  MetricTotal total();
  Offsets offsets();
  MetricGiven given();
  MetricSpan span();
  std::optional<Time> optional_word();
  std::vector<Index> indices();
  void origin();
};

// Checks that all relations, registers and columns in a component exist, for a plan with these tables. Throws
// std::invalid_argument otherwise.
void check_metric(const Component& component, const std::vector<TableInfo>& tables);

}  // namespace holdsfor
