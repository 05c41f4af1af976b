// What Python sees of the core.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "engine.h"

namespace nb = nanobind;

namespace holdsfor {
namespace {

using Words = std::vector<std::uint64_t>;
using WordArray = nb::ndarray<const std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using TimeArray = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Words words_of(std::span<const Value> values) {
  Words found;
  found.reserve(values.size());
  for (const Value value : values) found.push_back(value.word());
  return found;
}

// Asks a Python object.
class PythonHost : public Host {
 public:
  explicit PythonHost(nb::object host) : host_(std::move(host)) {}

  std::optional<Value> apply(std::uint8_t function, std::span<const Value> args) override {
    const nb::gil_scoped_acquire acquire;
    return number(host_.attr("apply")(function, words_of(args)));
  }
  std::optional<Value> evaluate(Value term) override {
    const nb::gil_scoped_acquire acquire;
    return number(host_.attr("evaluate")(term.word()));
  }
  std::optional<Value> aggregate(std::uint8_t kind, std::span<const Value> items) override {
    const nb::gil_scoped_acquire acquire;
    return number(host_.attr("aggregate")(kind, words_of(items)));
  }
  int compare(Value left, Value right) override {
    const nb::gil_scoped_acquire acquire;
    return nb::cast<int>(host_.attr("compare")(left.word(), right.word()));
  }
  std::vector<Value> solve(std::uint32_t goal, std::span<const Value> inputs, std::size_t& answers) override {
    const nb::gil_scoped_acquire acquire;
    const auto found = nb::cast<std::vector<Words>>(host_.attr("solve")(goal, words_of(inputs)));
    std::vector<Value> values;
    for (const Words& row : found) {
      for (const std::uint64_t word : row) values.push_back(Value::from_word(word));
    }
    answers = found.size();
    return values;
  }
  std::vector<ListAnswer> solve_lists(std::uint32_t goal, std::span<const Value> inputs,
                                      std::span<const Intervals* const> lists, Time query) override {
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
  void failed(std::uint32_t site, std::span<const Value> row) override {
    const nb::gil_scoped_acquire acquire;
    host_.attr("failed")(site, words_of(row));
  }

 private:
  static std::optional<Value> number(const nb::object& found) {
    return found.is_none() ? std::nullopt : std::optional(Value::from_word(nb::cast<std::uint64_t>(found)));
  }

  nb::object host_;
};

template <typename T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> array_of(std::vector<T> values) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* data) noexcept { delete static_cast<std::vector<T>*>(data); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(kept->data(), {kept->size()}, owner);
}

class Core {
 public:
  Core(nb::bytes plan, nb::object host)
      : host_(std::move(host)),
        prepared_(read_plan({static_cast<const std::byte*>(plan.data()), plan.size()}, terms_)),
        engine_(prepared_, terms_, host_) {}

  // Terms

  std::uint64_t name(const std::string& text) { return terms_.name(text).word(); }
  std::uint64_t integer(std::int64_t number) { return terms_.integer(number).word(); }
  std::uint64_t real(double number) { return terms_.real(number).word(); }
  std::uint64_t big_integer(const std::string& digits) { return terms_.big_integer(digits).word(); }
  std::uint64_t compound(const std::string& functor, const Words& args) {
    return terms_.compound(terms_.name(functor), values_of(args)).word();
  }
  std::uint64_t list(const Words& items) { return terms_.list(values_of(items)).word(); }

  // The kind of a term and what it consists of.
  nb::tuple describe(std::uint64_t word) const {
    const Value value = Value::from_word(word);
    if (value.is_integer()) return nb::make_tuple("number", value.as_integer());
    if (value.is_real()) return nb::make_tuple("number", value.as_real());
    if (value.is_wildcard()) return nb::make_tuple("anything", nb::none());
    const Term& term = terms_[value];
    switch (term.kind) {
      case TermKind::kName:
        return nb::make_tuple("name", term.text);
      case TermKind::kReal:
        return nb::make_tuple("number", term.real);
      case TermKind::kBigInteger:
        return nb::make_tuple("big", term.text);
      case TermKind::kList:
        return nb::make_tuple("list", words_of(term.items));
      case TermKind::kCompound:
        break;
    }
    return nb::make_tuple("compound", terms_[term.functor].text, words_of(term.items));
  }

  // Evaluation

  void clear() { engine_.clear(); }
  void add_events(Index table, TimeArray times, WordArray args) {
    RowSet& rows = engine_.input(table);
    const std::size_t width = rows.width - kEventHead;
    for (std::size_t row = 0; row < times.size(); ++row) {
      rows.cells.push_back(time_cell(times(row)));
      for (std::size_t i = 0; i < width; ++i) rows.cells.push_back(Value::from_word(args(row * width + i)));
    }
  }
  void add_interval(Index table, const Words& columns, std::uint64_t value, std::int64_t start, std::int64_t end,
                    bool is_cut) {
    auto& cells = engine_.input(table).cells;
    cells.push_back(time_cell(start));
    cells.push_back(time_cell(end));
    cells.push_back(Value::from_word(value));
    for (const std::uint64_t word : columns) cells.push_back(Value::from_word(word));
    if (!is_cut) return;
    auto& cuts = engine_.cuts(table).cells;
    cuts.push_back(time_cell(start));
    cuts.push_back(Value::from_word(value));
    for (const std::uint64_t word : columns) cuts.push_back(Value::from_word(word));
  }
  void run(std::int64_t query, unsigned threads) {
    const nb::gil_scoped_release release;
    engine_.run(query, threads);
  }
  // The rows of a table: a flat array of words, and their width.
  nb::tuple output(Index table) const { return flat(engine_.output(table)); }
  nb::tuple conflicts(Index table) const { return flat(engine_.conflicts(table)); }

 private:
  static std::vector<Value> values_of(const Words& words) {
    std::vector<Value> found;
    for (const std::uint64_t word : words) found.push_back(Value::from_word(word));
    return found;
  }

  static nb::tuple flat(const RowSet& rows) { return nb::make_tuple(array_of(words_of(rows.cells)), rows.width); }

  TermTable terms_;
  PythonHost host_;
  Prepared prepared_;
  Engine engine_;
};

}  // namespace
}  // namespace holdsfor

NB_MODULE(_core, module) {
  // The host is a Python object that knows the core: such cycles are Python's to collect.
  nb::set_leak_warnings(false);
  using holdsfor::Core;
  using holdsfor::EvaluationStop;
  nb::register_exception_translator([](const std::exception_ptr& problem, void* /*unused*/) {
    try {
      std::rethrow_exception(problem);
    } catch (const EvaluationStop& stop) {
      const nb::tuple args = nb::make_tuple(static_cast<int>(stop.reason), stop.site, stop.value.word(), stop.time);
      PyErr_SetObject(PyExc_ArithmeticError, args.ptr());
    }
  });
  nb::class_<Core>(module, "Core")
      .def(nb::init<nb::bytes, nb::object>())
      .def("name", &Core::name)
      .def("integer", &Core::integer)
      .def("real", &Core::real)
      .def("big_integer", &Core::big_integer)
      .def("compound", &Core::compound)
      .def("list", &Core::list)
      .def("describe", &Core::describe)
      .def("clear", &Core::clear)
      .def("add_events", &Core::add_events)
      .def("add_interval", &Core::add_interval)
      .def("run", &Core::run)
      .def("output", &Core::output)
      .def("conflicts", &Core::conflicts);
}
