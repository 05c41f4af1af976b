// What Python sees of the evaluation of metric rules.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <string>

#include "metric_engine.h"

namespace holdsfor {

class MetricCore {
 public:
  using TimesGiven =
      nanobind::ndarray<const std::int64_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
  using WordsGiven =
      nanobind::ndarray<const std::uint64_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

  // The terms and the host are those of a core, which lives longer.
  MetricCore(const MetricPlan& plan, TermTable& terms, Host& host) : engine_(plan, terms, host) {}

  // Facts to be taken in: starts, ends, and the words of the arguments row by row. How many of them came late.
  std::size_t push(Index relation, const TimesGiven& starts, const TimesGiven& ends, const WordsGiven& words);
  // Puts facts into the place of what a relation holds.
  void replace(Index relation, const TimesGiven& starts, const TimesGiven& ends, const WordsGiven& words);
  void refine(Time factor) { engine_.refine(factor); }
  void advance(Time high);
  void begin_all() { engine_.begin_all(); }
  bool evaluate(Index stratum, Time low, Time high, std::optional<std::size_t> most_rounds);
  nanobind::tuple lies_beyond(Index stratum) const;
  // None, or when the state was the same before, and when it was again, if it was.
  nanobind::object advance_by(Time stride, Time limit);
  // Starts, ends and words of what a relation holds.
  nanobind::tuple columns(Index relation) const;
  [[nodiscard]] std::size_t facts(Index relation) const { return engine_.table(checked(relation)).intervals(); }

  // The parts of the state: its kind, the stratum, the number of the relation or of the rule, and columns of facts.
  nanobind::list parts() const;
  void put_part(const std::string& kind, Index stratum, Index number, const TimesGiven& starts, const TimesGiven& ends,
                const WordsGiven& words);
  [[nodiscard]] MetricState state() const { return engine_.state(); }
  void set_state(const MetricState& state) { engine_.set_state(state); }
  // The state without facts that wait.
  [[nodiscard]] MetricState past() const;
  [[nodiscard]] Time reached() const { return engine_.state().reached; }
  void set_reached(Time cell) { engine_.state().reached = cell; }
  [[nodiscard]] Time factor() const { return engine_.state().factor; }
  [[nodiscard]] std::size_t kept() const;
  [[nodiscard]] std::size_t waiting() const;
  void keep_profile() { engine_.keep_profile(); }
  nanobind::list profile() const;

 private:
  [[nodiscard]] Index checked(Index relation) const;

  MetricEngine engine_;
};

void bind_metric(nanobind::module_& module);

}  // namespace holdsfor
