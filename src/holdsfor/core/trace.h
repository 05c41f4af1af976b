// One key after its evaluation, with all its tables: parts of programs can be run again at any time-point, to see what
// a rule found there, or which of its conditions it could not meet.
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
  // Evaluates a key of a stage once more; one that no row has reached is evaluated without any.
  Trace(std::unique_ptr<KeyEvaluator> evaluator, const StageStore& stage, std::span<const Value> key);

  // Which part of a program to run, and when.
  struct Question {
    Index program = 0;            // by the order of the plan: see `programs_of`
    std::span<const Index> path;  // to a block inside: an instruction and one of its blocks, then the same in there
    Index first = 0;              // the first instruction of the block that is run
    std::optional<Index> stop;    // the one that is not run any more; else it is run to its end
    std::span<const Time> times;  // the time-points, in the order in which they are tried; none: it is about no time
    std::size_t most = SIZE_MAX;  // after so many solutions no more are looked for
    // Values that registers have before it runs, and those that they must have in the end.
    std::span<const std::pair<Index, Value>> given;
    std::span<const std::pair<Index, Intervals>> given_lists;
    std::span<const std::pair<Index, Value>> wanted;
  };
  // The registers at the end of a block. Those that nothing has given a value have any.
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

// The programs of a plan, stage by stage and component by component: those of rules, then those of definitions.
std::vector<const Program*> programs_of(const Plan& plan);

}  // namespace holdsfor
