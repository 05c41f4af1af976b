#include "python_host.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <utility>

namespace nb = nanobind;

namespace holdsfor {

Words words_of(std::span<const Value> values) {
  Words found;
  found.reserve(values.size());
  for (const Value value : values) found.push_back(value.word());
  return found;
}

std::optional<Value> PythonHost::apply(std::uint8_t function, std::span<const Value> args) {
  const nb::gil_scoped_acquire acquire;
  return number(host_.attr("apply")(function, words_of(args)));
}

std::optional<Value> PythonHost::evaluate(Value term) {
  const nb::gil_scoped_acquire acquire;
  return number(host_.attr("evaluate")(term.word()));
}

std::optional<Value> PythonHost::aggregate(std::uint8_t kind, std::span<const Value> items) {
  const nb::gil_scoped_acquire acquire;
  return number(host_.attr("aggregate")(kind, words_of(items)));
}

int PythonHost::compare(Value left, Value right) {
  const nb::gil_scoped_acquire acquire;
  return nb::cast<int>(host_.attr("compare")(left.word(), right.word()));
}

std::vector<Value> PythonHost::solve(std::uint32_t goal, std::span<const Value> inputs, std::size_t& answers) {
  if (const auto known = answers_.find(goal, inputs)) {
    answers = known->count;
    return known->values;
  }
  const nb::gil_scoped_acquire acquire;
  const auto found = nb::cast<std::vector<Words>>(host_.attr("solve")(goal, words_of(inputs)));
  GoalAnswers::Rows rows{.count = found.size(), .values = {}};
  for (const Words& row : found) {
    for (const std::uint64_t word : row) rows.values.push_back(Value::from_word(word));
  }
  answers = rows.count;
  std::vector<Value> values = rows.values;
  answers_.keep(goal, inputs, std::move(rows));
  return values;
}

std::vector<ListAnswer> PythonHost::solve_lists(std::uint32_t goal, std::span<const Value> inputs,
                                                std::span<const Intervals* const> lists, Time query) {
  const nb::gil_scoped_acquire acquire;
  std::vector<std::vector<std::pair<Time, Time>>> given;
  for (const Intervals* list : lists) {
    auto& into = given.emplace_back();
    for (const Interval& one : *list) into.emplace_back(one.start, one.end);
  }
  using Answer = std::pair<Words, std::vector<std::vector<std::pair<Time, Time>>>>;
  const auto found = nb::cast<std::vector<Answer>>(host_.attr("solve_lists")(goal, words_of(inputs), given, query));
  std::vector<ListAnswer> answers;
  for (const auto& [values, made] : found) {
    ListAnswer& answer = answers.emplace_back();
    for (const std::uint64_t word : values) answer.values.push_back(Value::from_word(word));
    for (const auto& list : made) {
      auto& into = answer.lists.emplace_back();
      for (const auto& [start, end] : list) into.push_back({start, end});
    }
  }
  return answers;
}

ZoneDay PythonHost::zone_day(Value zone, std::int64_t day) {
  const nb::gil_scoped_acquire acquire;
  const auto [before, change, after] =
      nb::cast<std::tuple<std::int64_t, std::int64_t, std::int64_t>>(host_.attr("zone_day")(zone.word(), day));
  return {before, change, after};
}

std::uint32_t PythonHost::why(std::uint8_t kind, std::span<const Value> items) {
  const nb::gil_scoped_acquire acquire;
  return nb::cast<std::uint32_t>(host_.attr("why")(kind, words_of(items)));
}

void PythonHost::stopped(const EvaluationStop& stop, std::int64_t most_effects) {
  const nb::gil_scoped_acquire acquire;
  host_.attr("stopped")(static_cast<int>(stop.reason), stop.site, words_of(stop.row), stop.time, most_effects);
}

std::optional<Value> PythonHost::number(const nb::object& found) {
  return found.is_none() ? std::nullopt : std::optional(Value::from_word(nb::cast<std::uint64_t>(found)));
}

}  // namespace holdsfor
