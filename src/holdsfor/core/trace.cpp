#include "trace.h"

#include <algorithm>
#include <stdexcept>

namespace holdsfor {
namespace {

constexpr Time kFarAhead = -(kForever / 2);

}  // namespace

std::vector<const Program*> programs_of(const Plan& plan) {
  std::vector<const Program*> found;
  for (const Stage& stage : plan.stages) {
    for (const Component& component : stage.components) {
      for (const Rule& rule : component.rules) found.push_back(&rule.program);
      for (const Definition& definition : component.definitions) found.push_back(&definition.program);
    }
  }
  return found;
}

Trace::Trace(std::unique_ptr<KeyEvaluator> evaluator, const StageStore& stage, std::span<const Value> key)
    : evaluator_(std::move(evaluator)),
      world_(evaluator_->at_end(stage, key)),
      machine_(world_),
      programs_(programs_of(world_.plan())) {}

// Marks of initiations are valid only during their time-point, so set them again.
void Trace::set_time(Time time) {
  world_.set_now(time);
  for (Index table = 0; table < world_.fluents.size(); ++table) {
    FluentTable& fluent = world_.fluents[table];
    std::size_t& cursor = world_.cursor(table, World::Rows::kInitiations);
    const auto [from, to] = fluent.initiations.between(time, time, cursor);
    for (std::size_t row = from; row < to; ++row) {
      const auto values = fluent.initiations.row(row);
      const Index instance = fluent.find(values.first(fluent.width));
      const Index pair = instance == kNone ? kNone : fluent.find_pair(instance, values.back());
      if (pair != kNone) fluent.pairs[pair].last_initiated = time;
    }
  }
}

std::vector<Trace::Solution> Trace::solve(const Question& question) {
  const Program& program = *programs_.at(question.program);
  const Block* block = &program.block;
  for (std::size_t at = 0; at + 1 < question.path.size(); at += 2) {
    block = &block->at(question.path[at]).blocks.at(question.path[at + 1]);
  }
  const std::size_t stop = std::min<std::size_t>(question.stop.value_or(block->size()), block->size());
  const std::size_t first = std::min<std::size_t>(question.first, stop);
  Block part(block->begin() + static_cast<std::ptrdiff_t>(first), block->begin() + static_cast<std::ptrdiff_t>(stop));
  // The look-back of conditions follows from all of them. A part of them alone looks everywhere.
  for (Instruction& one : part) {
    if (!question.stop || !one.time.binds) continue;
    one.time.least = kFarAhead;
    one.time.most.reset();
  }
  for (const auto& [reg, value] : question.given) {
    if (reg >= program.registers) throw std::out_of_range("there is no such register");
  }
  for (const auto& [reg, list] : question.given_lists) {
    if (reg >= program.lists) throw std::out_of_range("there is no such list register");
  }
  std::vector<Solution> found;
  const auto note = [&](const Machine::Frame& frame) {
    const auto is_wanted = [&](const std::pair<Index, Value>& one) {
      return world_.terms.unifies(frame.values.at(one.first), one.second);
    };
    if (!std::all_of(question.wanted.begin(), question.wanted.end(), is_wanted)) return false;
    Solution& solution = found.emplace_back();
    solution.values.assign(frame.values.begin(), frame.values.begin() + program.registers);
    for (std::size_t reg = 0; reg < program.lists; ++reg) {
      const Intervals* list = frame.lists[reg];
      solution.lists.push_back(list == nullptr ? std::nullopt : std::optional(*list));
    }
    return found.size() >= question.most;
  };
  machine_.reset();
  if (question.times.empty()) machine_.run_part(program, part, question.given, question.given_lists, note);
  for (const Time time : question.times) {
    set_time(time);
    if (machine_.run_part(program, part, question.given, question.given_lists, note)) break;
  }
  return found;
}

}  // namespace holdsfor
