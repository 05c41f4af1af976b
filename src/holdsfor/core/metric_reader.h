// Reads the metric part of a plan.
#pragma once

#include "metric_plan.h"
#include "program_reader.h"

namespace holdsfor {

class MetricReader : public ProgramReader {
 public:
  using ProgramReader::ProgramReader;

  MetricPlan metric();

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
  std::vector<Index> indices();
  void origin();
};

// Whether relations, registers and columns that are spoken of exist; throws std::invalid_argument if not.
void check_metric(const MetricPlan& plan);

}  // namespace holdsfor
