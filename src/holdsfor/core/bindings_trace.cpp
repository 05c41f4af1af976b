#include "bindings_trace.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include "python_host.h"
#include "trace.h"

namespace nb = nanobind;

namespace holdsfor {
namespace {

using GivenWords = std::vector<std::pair<Index, std::uint64_t>>;
using Times = std::vector<std::pair<Time, Time>>;
using Solutions = std::vector<std::pair<Words, std::vector<std::optional<Times>>>>;
using GivenLists = std::vector<std::pair<Index, Times>>;

std::vector<std::pair<Index, Value>> values_of(const GivenWords& words) {
  std::vector<std::pair<Index, Value>> found;
  found.reserve(words.size());
  for (const auto& [reg, word] : words) found.emplace_back(reg, Value::from_word(word));
  return found;
}

std::vector<std::pair<Index, Intervals>> lists_of(const GivenLists& lists) {
  std::vector<std::pair<Index, Intervals>> found;
  for (const auto& [reg, times] : lists) {
    auto& list = found.emplace_back(reg, Intervals{}).second;
    for (const auto& [start, end] : times) list.push_back({start, end});
  }
  return found;
}

// For each solution, the words of all registers and the intervals of all list registers.
Solutions solve(Trace& trace, Index program, const std::vector<Index>& path, Index first, std::optional<Index> stop,
                const std::vector<Time>& times, std::size_t most, const GivenWords& given,
                const GivenLists& given_lists, const GivenWords& wanted) {
  const auto values = values_of(given);
  const auto lists = lists_of(given_lists);
  const auto ends = values_of(wanted);
  const auto solutions = trace.solve({.program = program,
                                      .path = path,
                                      .first = first,
                                      .stop = stop,
                                      .times = times,
                                      .most = most,
                                      .given = values,
                                      .given_lists = lists,
                                      .wanted = ends});
  Solutions found;
  for (const Trace::Solution& one : solutions) {
    auto& lists_found = found.emplace_back(words_of(one.values), std::vector<std::optional<Times>>{}).second;
    for (const std::optional<Intervals>& list : one.lists) {
      auto& into = lists_found.emplace_back();
      if (!list) continue;
      into.emplace();
      for (const Interval& interval : *list) into->emplace_back(interval.start, interval.end);
    }
  }
  return found;
}

}  // namespace

void bind_trace(nb::module_& module) {
  nb::class_<Trace>(module, "Trace")
      .def("solve", &solve, nb::arg("program"), nb::arg("path"), nb::arg("first"), nb::arg("stop").none(),
           nb::arg("times"), nb::arg("most"), nb::arg("given"), nb::arg("given_lists"), nb::arg("wanted"));
}

}  // namespace holdsfor
