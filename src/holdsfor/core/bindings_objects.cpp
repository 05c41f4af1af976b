#include "bindings_objects.h"

#include <algorithm>

#include "change_texts.h"

namespace nb = nanobind;

namespace holdsfor {
namespace {

nb::object text_object(std::string_view text) {
  nb::object found = nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), nullptr));
  if (!found.is_valid()) throw nb::python_error();
  return found;
}

nb::object time_object(Time ticks, Time tick) {
  return ticks == kNever || ticks == kForever ? nb::object(nb::none()) : nb::object(nb::int_(ticks * tick));
}

// Creates tuples of a class without garbage collector tracking. Their fields never refer back to them, so they are
// never part of a cycle. The collector can skip them, however many exist.
class TupleMaker {
 public:
  TupleMaker(nb::handle kind, std::size_t fields)
      : type_(reinterpret_cast<PyTypeObject*>(kind.ptr())),  // NOLINT(*-reinterpret-cast): a class is one
        fields_(static_cast<Py_ssize_t>(fields)) {
    auto* const base = reinterpret_cast<PyObject*>(&PyTuple_Type);  // NOLINT(*-reinterpret-cast): as above
    if (PyType_Check(kind.ptr()) == 0 || PyObject_IsSubclass(kind.ptr(), base) != 1) {
      throw nb::type_error("the objects are no tuples");
    }
  }

  // A new, empty tuple. The caller must set all fields.
  [[nodiscard]] nb::object make() const {
    nb::object found = nb::steal(type_->tp_alloc(type_, fields_));
    if (!found.is_valid()) throw nb::python_error();
    PyObject_GC_UnTrack(found.ptr());
    return found;
  }

 private:
  PyTypeObject* type_;
  Py_ssize_t fields_;
};

void set_field(const nb::object& record, std::size_t field, nb::object value) {
  PyTuple_SET_ITEM(record.ptr(), static_cast<Py_ssize_t>(field), value.release().ptr());
}

// One object for each input that changes name.
std::vector<nb::object> cause_objects(Speller& speller, const NamedInputs& inputs, const TupleMaker& maker,
                                      const nb::tuple& kinds, Time tick) {
  std::vector<nb::object> found;
  found.reserve(inputs.size());
  TextColumn text;
  inputs.each([&](const NamedInputs::Row& input) {
    text.clear();
    add_input(speller, input, text);
    text.end();
    const nb::object cause = maker.make();
    set_field(cause, 0, nb::object(kinds[static_cast<std::size_t>(input.batch->kind_of(input.row))]));
    set_field(cause, 1, text_object(text[0]));
    set_field(cause, 2, nb::int_(input.batch->starts[input.row] * tick));
    set_field(cause, 3, time_object(input.batch->end_of(input.row), tick));
    found.push_back(cause);
  });
  return found;
}

// Creates the cause tuples of consecutive changes. Consecutive changes with the same causes share a tuple.
class CauseTuples {
 public:
  CauseTuples(const ChangeList& changes, const NamedInputs& inputs, std::vector<nb::object> objects)
      : changes_(changes), inputs_(inputs), objects_(std::move(objects)), none_(nb::tuple()) {}

  nb::object of(std::size_t change) {
    const auto from = static_cast<std::size_t>(changes_.cause_offsets[change]);
    const auto places =
        std::span(inputs_.places()).subspan(from, static_cast<std::size_t>(changes_.cause_offsets[change + 1]) - from);
    if (places.empty()) return none_;
    if (last_.is_valid() && std::equal(places.begin(), places.end(), places_.begin(), places_.end())) return last_;
    places_ = places;
    last_ = nb::steal(PyTuple_New(static_cast<Py_ssize_t>(places.size())));
    if (!last_.is_valid()) throw nb::python_error();
    PyObject_GC_UnTrack(last_.ptr());
    for (std::size_t i = 0; i < places.size(); ++i) {
      set_field(last_, i, objects_[static_cast<std::size_t>(places[i])]);
    }
    return last_;
  }

 private:
  const ChangeList& changes_;
  const NamedInputs& inputs_;
  std::vector<nb::object> objects_;
  nb::object none_;
  nb::object last_;
  std::span<const std::int32_t> places_;
};

}  // namespace

nb::list change_objects(Speller& speller, const ChangeList& changes, nb::handle change_class, nb::handle cause_class,
                        const nb::tuple& ops, const nb::tuple& kinds, const nb::object& query_time, Time tick) {
  constexpr std::size_t kChangeFields = 10;
  constexpr std::size_t kCauseFields = 4;
  const TupleMaker maker(change_class, kChangeFields);
  const NamedInputs inputs(changes);
  CauseTuples causes(changes, inputs,
                     cause_objects(speller, inputs, TupleMaker(cause_class, kCauseFields), kinds, tick));
  ChangeTexts texts(speller, changes, tick);
  nb::object fluent;
  std::unordered_map<std::uint64_t, nb::object> values;
  nb::list found;
  for (std::size_t i = 0; i < changes.entries.size(); ++i) {
    const ChangeList::Entry& one = changes.entries[i];
    texts.go_to(i);
    if (!texts.is_same_fluent()) fluent = text_object(texts.fluent());
    nb::object& value = values[one.value.word()];
    if (!value.is_valid()) value = text_object(texts.value());
    const IntervalId id = texts.id();
    const bool is_new = one.change.op == ChangeOp::kOpen;
    const nb::object record = maker.make();
    set_field(record, 0, text_object({id.data(), id.size()}));
    set_field(record, 1, nb::object(ops[static_cast<std::size_t>(one.change.op)]));
    set_field(record, 2, fluent);
    set_field(record, 3, value);
    set_field(record, 4, time_object(one.change.now.start, tick));
    set_field(record, 5, time_object(one.change.now.end, tick));
    set_field(record, 6, query_time);
    set_field(record, 7, is_new ? nb::object(nb::none()) : time_object(one.change.previous.start, tick));
    set_field(record, 8, is_new ? nb::object(nb::none()) : time_object(one.change.previous.end, tick));
    set_field(record, 9, causes.of(i));
    found.append(record);
  }
  return found;
}

}  // namespace holdsfor
