// A host implemented by a Python object: see holdsfor/core/host.py.
#pragma once

#include <nanobind/nanobind.h>

#include "failures.h"
#include "goal_answers.h"
#include "host.h"
#include "sweep.h"

namespace holdsfor {

using Words = std::vector<std::uint64_t>;

Words words_of(std::span<const Value> values);

class PythonHost : public Host {
 public:
  explicit PythonHost(nanobind::object host) : host_(std::move(host)) {}

  std::optional<Value> apply(std::uint8_t function, std::span<const Value> args) override;
  std::optional<Value> evaluate(Value term) override;
  std::optional<Value> aggregate(std::uint8_t kind, std::span<const Value> items) override;
  int compare(Value left, Value right) override;
  std::vector<Value> solve(std::uint32_t goal, std::span<const Value> inputs, std::size_t& answers) override;
  std::vector<ListAnswer> solve_lists(std::uint32_t goal, std::span<const Value> inputs,
                                      std::span<const Intervals* const> lists, Time query) override;
  ZoneDay zone_day(Value zone, std::int64_t day) override;
  std::uint32_t why(std::uint8_t kind, std::span<const Value> items) override;
  void failed(std::uint32_t site, std::span<const Value> row, std::uint32_t reason) override {
    failures_.add(site, row, reason);
  }

  FailureLog& failures() { return failures_; }
  // Drops cached goal answers: they belong to the previous background knowledge.
  void forget_answers() {
    answers_.forget();
    ++answers_version_;
  }
  [[nodiscard]] std::uint64_t answers_version() const override { return answers_version_; }
  // Raises the Python error that the host object creates for a stop.
  void stopped(const EvaluationStop& stop, std::int64_t most_effects);

 private:
  static std::optional<Value> number(const nanobind::object& found);

  nanobind::object host_;
  FailureLog failures_;
  GoalAnswers answers_;
  std::uint64_t answers_version_ = 0;  // changes only between evaluations
};

}  // namespace holdsfor
