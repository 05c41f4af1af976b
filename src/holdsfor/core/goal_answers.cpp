#include "goal_answers.h"

#include <mutex>
#include <utility>

namespace holdsfor {

std::vector<Value> GoalAnswers::question(std::uint32_t goal, std::span<const Value> inputs) {
  std::vector<Value> found;
  found.reserve(inputs.size() + 1);
  found.push_back(Value::integer(goal));
  found.insert(found.end(), inputs.begin(), inputs.end());
  return found;
}

std::shared_ptr<const GoalAnswers::Rows> GoalAnswers::find(std::uint32_t goal, std::span<const Value> inputs) const {
  const auto asked = question(goal, inputs);
  const std::shared_lock lock(mutex_);
  const auto at = known_.find(asked);
  return at == known_.end() ? nullptr : at->second;
}

void GoalAnswers::keep(std::uint32_t goal, std::span<const Value> inputs, Rows rows) {
  auto made = std::make_shared<const Rows>(std::move(rows));
  const std::unique_lock lock(mutex_);
  if (known_.size() >= kMost) known_.clear();
  known_.insert_or_assign(question(goal, inputs), std::move(made));
}

void GoalAnswers::forget() {
  const std::unique_lock lock(mutex_);
  known_.clear();
}

}  // namespace holdsfor
