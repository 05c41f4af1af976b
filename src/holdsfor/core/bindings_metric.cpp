#include "bindings_metric.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <chrono>

#include "bindings_arrays.h"

namespace nb = nanobind;

namespace holdsfor {
namespace {

// Looks for signals every now and then.
class SignalWatch {
 public:
  void operator()() {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return;
    next_ = now + std::chrono::milliseconds(20);
    const nb::gil_scoped_acquire acquire;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
  }

 private:
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
};

struct FactColumns {
  std::vector<Time> starts;
  std::vector<Time> ends;
  std::vector<std::uint64_t> words;

  void add(std::span<const Value> tuple, Interval during) {
    starts.push_back(during.start);
    ends.push_back(during.end);
    for (const Value value : tuple) words.push_back(value.word());
  }
  nb::tuple columns() {
    return nb::make_tuple(array_of(std::move(starts)), array_of(std::move(ends)), array_of(std::move(words)));
  }
};

FactColumns facts_of(const MetricTable& table) {
  FactColumns found;
  const std::size_t count = table.intervals();
  found.starts.reserve(count);
  found.ends.reserve(count);
  found.words.reserve(count * table.width());
  for (Index row = 0; row < table.rows(); ++row) {
    for (const Interval& one : table.list(row)) found.add(table.args(row), one);
  }
  return found;
}

template <typename See>
void each_fact(std::size_t width, const MetricCore::TimesGiven& starts, const MetricCore::TimesGiven& ends,
               const MetricCore::WordsGiven& words, const See& see) {
  const std::size_t count = starts.size();
  if (ends.size() != count || words.size() != count * width) throw nb::value_error("columns of different lengths");
  std::vector<Value> tuple(width);
  for (std::size_t row = 0; row < count; ++row) {
    for (std::size_t i = 0; i < width; ++i) tuple[i] = Value::from_word(words(row * width + i));
    const Interval during{starts(row), ends(row)};
    if (!is_empty(during)) see(tuple, during);
  }
}

}  // namespace

Index MetricCore::checked(Index relation) const {
  if (relation >= engine_.plan().widths.size()) throw nb::index_error("there is no such relation");
  return relation;
}

std::size_t MetricCore::push(Index relation, const TimesGiven& starts, const TimesGiven& ends,
                             const WordsGiven& words) {
  std::size_t late = 0;
  each_fact(engine_.plan().widths[checked(relation)], starts, ends, words,
            [&](std::span<const Value> tuple, Interval during) {
              if (engine_.push(relation, tuple, during)) ++late;
            });
  return late;
}

void MetricCore::replace(Index relation, const TimesGiven& starts, const TimesGiven& ends, const WordsGiven& words) {
  MetricTable& table = engine_.table(checked(relation));
  table.clear();
  each_fact(table.width(), starts, ends, words,
            [&](std::span<const Value> tuple, Interval during) { table.add(tuple, during); });
}

void MetricCore::advance(Time high) {
  const nb::gil_scoped_release release;
  engine_.advance(high, SignalWatch());
}

bool MetricCore::evaluate(Index stratum, Time low, Time high, std::optional<std::size_t> most_rounds) {
  if (stratum >= engine_.plan().strata.size()) throw nb::index_error("there is no such stratum");
  const nb::gil_scoped_release release;
  return engine_.evaluate(stratum, {low, high}, most_rounds.value_or(MetricStratumRun::kNoLimit), SignalWatch());
}

nb::tuple MetricCore::lies_beyond(Index stratum) const {
  if (stratum >= engine_.plan().strata.size()) throw nb::index_error("there is no such stratum");
  const auto [before, after] = engine_.lies_beyond(stratum);
  return nb::make_tuple(before, after);
}

nb::object MetricCore::advance_by(Time stride, Time limit) {
  std::optional<MetricEngine::Return> found;
  {
    const nb::gil_scoped_release release;
    found = engine_.advance_by(stride, limit, SignalWatch());
  }
  if (!found) return nb::none();
  return nb::make_tuple(found->since, found->again);
}

nb::tuple MetricCore::columns(Index relation) const { return facts_of(engine_.table(checked(relation))).columns(); }

nb::list MetricCore::parts() const {
  nb::list found;
  const MetricState& state = engine_.state();
  const auto add = [&](const char* kind, Index stratum, Index number, FactColumns facts) {
    if (facts.starts.empty()) return;
    const nb::tuple columns = facts.columns();
    found.append(nb::make_tuple(kind, stratum, number, columns[0], columns[1], columns[2]));
  };
  for (Index relation = 0; relation < state.waiting.size(); ++relation) {
    FactColumns facts;
    state.waiting[relation].each([&](std::span<const Value> tuple, Interval during) { facts.add(tuple, during); });
    add("waiting", 0, relation, std::move(facts));
  }
  for (Index i = 0; i < state.carried.size(); ++i) {
    const MetricStratumRun& run = engine_.run(i);
    const MetricCarried& carried = state.carried[i];
    for (std::size_t k = 0; k < carried.ahead.size(); ++k) {
      add("ahead", i, run.stratum().relations[k], facts_of(carried.ahead[k]));
    }
    for (std::size_t k = 0; k < carried.going_on.size(); ++k) {
      add("going on", i, run.remembered()[k], facts_of(carried.going_on[k]));
    }
    for (std::size_t k = 0; k < carried.armed.size(); ++k) {
      add("armed", i, run.since_rules()[k], facts_of(carried.armed[k]));
    }
    for (std::size_t k = 0; k < carried.recent.size(); ++k) {
      add("recent", i, run.recalled()[k], facts_of(carried.recent[k]));
    }
  }
  return found;
}

void MetricCore::put_part(const std::string& kind, Index stratum, Index number, const TimesGiven& starts,
                          const TimesGiven& ends, const WordsGiven& words) {
  MetricState& state = engine_.state();
  if (kind == "waiting") {
    each_fact(engine_.plan().widths[checked(number)], starts, ends, words,
              [&](std::span<const Value> tuple, Interval during) { state.waiting[number].push(tuple, during); });
    return;
  }
  if (stratum >= state.carried.size()) throw nb::index_error("there is no such stratum");
  const MetricStratumRun& run = engine_.run(stratum);
  MetricCarried& carried = state.carried[stratum];
  const bool is_ahead = kind == "ahead";
  const bool is_going_on = kind == "going on";
  const bool is_armed = kind == "armed";
  const auto& numbers = is_ahead      ? run.stratum().relations
                        : is_going_on ? run.remembered()
                        : is_armed    ? run.since_rules()
                                      : run.recalled();
  auto& tables = is_ahead ? carried.ahead : is_going_on ? carried.going_on : is_armed ? carried.armed : carried.recent;
  const auto at = std::find(numbers.begin(), numbers.end(), number);
  if (at == numbers.end()) throw nb::index_error("there is no such part of the state");
  MetricTable& table = tables[static_cast<std::size_t>(at - numbers.begin())];
  each_fact(table.width(), starts, ends, words,
            [&](std::span<const Value> tuple, Interval during) { table.add(tuple, during); });
}

MetricState MetricCore::past() const {
  const MetricState& state = engine_.state();
  MetricState found{.factor = state.factor, .reached = state.reached, .carried = state.carried, .waiting = {}};
  for (const Index width : engine_.plan().widths) found.waiting.emplace_back(width);
  return found;
}

std::size_t MetricCore::kept() const {
  std::size_t found = 0;
  for (const MetricCarried& one : engine_.state().carried) found += one.facts();
  return found;
}

std::size_t MetricCore::waiting() const {
  std::size_t found = 0;
  for (const WaitingFacts& one : engine_.state().waiting) found += one.facts();
  return found;
}

nb::list MetricCore::profile() const {
  nb::list found;
  for (const MetricProfile& one : engine_.profile()) {
    found.append(nb::make_tuple(one.seconds, one.facts_in, one.facts_out, one.most_kept));
  }
  return found;
}

void bind_metric(nb::module_& module) {
  [[maybe_unused]] const nb::class_<MetricState> state(module, "MetricState");
  nb::class_<MetricCore>(module, "MetricCore")
      .def("push", &MetricCore::push)
      .def("replace", &MetricCore::replace)
      .def("refine", &MetricCore::refine)
      .def("advance", &MetricCore::advance)
      .def("begin_all", &MetricCore::begin_all)
      .def("evaluate", &MetricCore::evaluate, nb::arg("stratum"), nb::arg("low"), nb::arg("high"),
           nb::arg("most_rounds").none() = nb::none())
      .def("lies_beyond", &MetricCore::lies_beyond)
      .def("advance_by", &MetricCore::advance_by)
      .def("columns", &MetricCore::columns)
      .def("facts", &MetricCore::facts)
      .def("parts", &MetricCore::parts)
      .def("put_part", &MetricCore::put_part)
      .def("state", &MetricCore::state)
      .def("past", &MetricCore::past)
      .def("set_state", &MetricCore::set_state)
      .def_prop_rw("reached", &MetricCore::reached, &MetricCore::set_reached)
      .def_prop_ro("factor", &MetricCore::factor)
      .def_prop_ro("kept", &MetricCore::kept)
      .def_prop_ro("waiting", &MetricCore::waiting)
      .def("keep_profile", &MetricCore::keep_profile)
      .def("profile", &MetricCore::profile);
}

}  // namespace holdsfor
