// Keeps the tables of one key after its evaluation. Parts of programs can run again at any time-point, to show what a
// rule found or which condition failed.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "key_evaluator.h"

namespace holdsfor {

class Trace {
 public:
  // Evaluates a key of a stage again. A key that no row has reached is evaluated without rows.
  Trace(std::unique_ptr<KeyEvaluator> evaluator, const StageStore& stage, std::span<const Value> key);

  // A part of a program to run, and the time-points.
  struct Question {
    Index program = 0;            // in plan order: see `programs_of`
    std::span<const Index> path;  // to a nested block: pairs of an instruction and one of its blocks
    Index first = 0;              // the first instruction of the block to run
    std::optional<Index> stop;    // the instruction to stop before; none: run to the end
    std::span<const Time> times;  // tried in order; empty: the program has no time
    std::size_t most = SIZE_MAX;  // limit of solutions
    // Register values before the run, and required register values at its end.
    std::span<const std::pair<Index, Value>> given;
    std::span<const std::pair<Index, Intervals>> given_lists;
    std::span<const std::pair<Index, Value>> wanted;
  };
  // The registers at the end of a block. Unbound registers have arbitrary values.
  struct Solution {
    std::vector<Value> values;
    std::vector<std::optional<Intervals>> lists;
  };
  std::vector<Solution> solve(const Question& question);

 private:
  void set_time(Time time);

  std::unique_ptr<KeyEvaluator> evaluator_;
  World& world_;
  Machine machine_;
  std::vector<const Program*> programs_;
};

// The programs of a plan by stage and component: those of rules, then those of definitions.
std::vector<const Program*> programs_of(const Plan& plan);

}  // namespace holdsfor
