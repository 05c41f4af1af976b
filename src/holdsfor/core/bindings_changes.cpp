#include "bindings_changes.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include "bindings_arrays.h"
#include "bindings_values.h"
#include "ids.h"

namespace nb = nanobind;

namespace holdsfor {
namespace {

using Tables = nb::ndarray<const std::uint32_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Kinds = nb::ndarray<const std::uint8_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A start before all time has a number of its own in ids.
Time in_ids(Time ticks, Time tick) { return ticks == kNever ? -(Time{1} << 62U) : ticks * tick; }

nb::object text_object(std::string_view text) {
  nb::object found = nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), nullptr));
  if (!found.is_valid()) throw nb::python_error();
  return found;
}

nb::object time_object(Time ticks, Time tick) {
  return ticks == kNever || ticks == kForever ? nb::object(nb::none()) : nb::object(nb::int_(ticks * tick));
}

std::span<const Value> args_of(const ChangeList& changes, std::size_t number) {
  const auto from = static_cast<std::size_t>(changes.offsets[number]);
  return std::span(changes.columns).subspan(from, static_cast<std::size_t>(changes.offsets[number + 1]) - from);
}

// Columns

template <typename T, typename Get>
nb::object column(const ChangeList& changes, const Get& get) {
  std::vector<T> found;
  found.reserve(changes.entries.size());
  for (const ChangeList::Entry& one : changes.entries) found.push_back(get(one));
  return nb::cast(array_of(std::move(found)));
}

constexpr std::array<const char*, 13> kColumns{
    "table",       "op",          "value",   "start",   "end",           "prev_start", "prev_end",
    "first_start", "first_query", "offsets", "columns", "cause_offsets", "causes"};

nb::object column_named(const ChangeList& changes, const std::string& name) {
  using Entry = ChangeList::Entry;
  const auto time = [&](const auto& get) {
    return column<std::int64_t>(changes, [&](const Entry& one) { return get(one.change); });
  };
  if (name == "table") return column<std::uint32_t>(changes, [](const Entry& one) { return one.table; });
  if (name == "op") {
    return column<std::uint8_t>(changes, [](const Entry& one) { return static_cast<std::uint8_t>(one.change.op); });
  }
  if (name == "value") return column<std::uint64_t>(changes, [](const Entry& one) { return one.value.word(); });
  if (name == "start") return time([](const Change& one) { return one.now.start; });
  if (name == "end") return time([](const Change& one) { return one.now.end; });
  if (name == "prev_start") return time([](const Change& one) { return one.previous.start; });
  if (name == "prev_end") return time([](const Change& one) { return one.previous.end; });
  if (name == "first_start") return time([](const Change& one) { return one.now.first_start; });
  if (name == "first_query") return time([](const Change& one) { return one.now.first_query; });
  if (name == "offsets") return nb::cast(array_of(changes.offsets));
  if (name == "cause_offsets") return nb::cast(array_of(changes.cause_offsets));
  if (name == "causes") return nb::cast(array_of(changes.causes));
  if (name != "columns") throw nb::key_error("there is no such column");
  std::vector<std::uint64_t> words;
  words.reserve(changes.columns.size());
  for (const Value cell : changes.columns) words.push_back(cell.word());
  return nb::cast(array_of(std::move(words)));
}

nb::list all_columns(const ChangeList& changes) {
  nb::list found;
  for (const char* name : kColumns) found.append(nb::make_tuple(name, column_named(changes, name)));
  return found;
}

// Texts

nb::tuple buffers(const TextColumn& texts) {
  const auto bytes = texts.bytes();
  std::vector<std::uint8_t> copied(bytes.begin(), bytes.end());
  return nb::make_tuple(array_of(std::vector<std::int32_t>(texts.offsets().begin(), texts.offsets().end())),
                        array_of(std::move(copied)));
}

nb::list strings(const TextColumn& texts) {
  nb::list found;
  for (std::size_t i = 0; i < texts.size(); ++i) found.append(text_object(texts[i]));
  return found;
}

// Rows that have a table each.
TextColumn fluents(Speller& speller, const ChangeList& changes) {
  TextColumn found;
  found.reserve(changes.entries.size(), changes.entries.size() * 24);
  for (std::size_t i = 0; i < changes.entries.size(); ++i) {
    speller.add_row(changes.entries[i].table, args_of(changes, i), Value::nothing(), found);
  }
  return found;
}

TextColumn values(Speller& speller, const ChangeList& changes) {
  TextColumn found;
  found.reserve(changes.entries.size(), changes.entries.size() * 8);
  for (const ChangeList::Entry& one : changes.entries) {
    speller.add(one.value, true, found);
    found.end();
  }
  return found;
}

TextColumn ids(const ChangeList& changes, const TextColumn& names, const TextColumn& values, Time tick) {
  if (names.size() != changes.entries.size() || values.size() != names.size()) {
    throw nb::value_error("columns of different lengths");
  }
  TextColumn found;
  found.reserve(names.size(), names.size() * kIdDigits);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const Reported& now = changes.entries[i].change.now;
    const auto id = interval_id(names[i], values[i], in_ids(now.first_start, tick), now.first_query * tick);
    found.add(std::string_view(id.data(), id.size()));
    found.end();
  }
  return found;
}

// Rows of one table, `width` words each, at some places; with values, those of a fluent.
TextColumn rows(Speller& speller, Index table, const WordsGiven& words, std::size_t width,
                const std::optional<WordsGiven>& values, const TimesGiven& places) {
  TextColumn found;
  found.reserve(places.size(), places.size() * 24);
  std::vector<Value> args(width);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto place = static_cast<std::size_t>(places(i));
    if ((place + 1) * width > words.size() || (values && place >= values->size())) {
      throw nb::index_error("there is no such row");
    }
    for (std::size_t arg = 0; arg < width; ++arg) args[arg] = Value::from_word(words(place * width + arg));
    speller.add_row(table, args, values ? Value::from_word((*values)(place)) : Value::nothing(), found);
  }
  return found;
}

// "arrived turn(ann) at 5", "retracted near(ann)=true from 3 to 9".
TextColumn shown_causes(const Kinds& kinds, const nb::list& names, const TextColumn& texts, const TimesGiven& times,
                        const TimesGiven& ends) {
  std::vector<std::string> kind_names;
  for (const nb::handle name : names) kind_names.push_back(nb::cast<std::string>(name));
  if (kinds.size() != texts.size() || times.size() != texts.size() || ends.size() != texts.size()) {
    throw nb::value_error("columns of different lengths");
  }
  TextColumn found;
  found.reserve(texts.size(), texts.bytes().size() + texts.size() * 24);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    found.add(kind_names.at(kinds(i)));
    found.add(" ");
    found.add(texts[i]);
    found.add(ends(i) == kForever ? " at " : " from ");
    found.add(times(i));
    if (ends(i) != kForever) {
      found.add(" to ");
      found.add(ends(i));
    }
    found.end();
  }
  return found;
}

// Objects

// No garbage is made while many objects are: it would be looked for again and again.
class GarbageRest {
 public:
  GarbageRest() : was_on_(PyGC_Disable() != 0) {}
  ~GarbageRest() {
    if (was_on_) PyGC_Enable();
  }
  GarbageRest(const GarbageRest&) = delete;
  GarbageRest& operator=(const GarbageRest&) = delete;
  GarbageRest(GarbageRest&&) = delete;
  GarbageRest& operator=(GarbageRest&&) = delete;

 private:
  bool was_on_;
};

// A new named tuple of a kind, still empty.
nb::object new_record(nb::handle kind, std::size_t fields) {
  auto* type = reinterpret_cast<PyTypeObject*>(kind.ptr());  // NOLINT(*-reinterpret-cast): a class is one
  nb::object found = nb::steal(type->tp_alloc(type, static_cast<Py_ssize_t>(fields)));
  if (!found.is_valid()) throw nb::python_error();
  return found;
}

void set_field(const nb::object& record, std::size_t field, nb::object value) {
  PyTuple_SET_ITEM(record.ptr(), static_cast<Py_ssize_t>(field), value.release().ptr());
}

void require_tuple(nb::handle kind) {
  const bool is_type = PyType_Check(kind.ptr()) != 0;
  if (!is_type || PyObject_IsSubclass(kind.ptr(), reinterpret_cast<PyObject*>(&PyTuple_Type)) != 1) {  // NOLINT
    throw nb::type_error("the objects are no named tuples");
  }
}

// Named tuples of a kind from the columns of their fields.
nb::list records(nb::handle kind, const nb::list& columns) {
  require_tuple(kind);
  const GarbageRest rest;
  std::vector<nb::list> given;
  for (const nb::handle one : columns) given.push_back(nb::cast<nb::list>(one));
  const std::size_t count = given.empty() ? 0 : given[0].size();
  for (const nb::list& one : given) {
    if (one.size() != count) throw nb::value_error("columns of different lengths");
  }
  nb::list found;
  for (std::size_t i = 0; i < count; ++i) {
    const nb::object record = new_record(kind, given.size());
    for (std::size_t field = 0; field < given.size(); ++field) set_field(record, field, nb::object(given[field][i]));
    found.append(record);
  }
  return found;
}

// Changes as named tuples: id, op, fluent, value, start, end, query time, previous start and end, causes. `causes` are
// objects, one for each that the changes name.
nb::list change_records(Speller& speller, const ChangeList& changes, nb::handle kind, const nb::tuple& ops,
                        const nb::object& query_time, Time tick, const nb::list& causes) {
  require_tuple(kind);
  if (causes.size() != changes.causes.size()) throw nb::value_error("columns of different lengths");
  const GarbageRest rest;
  TextColumn text;
  std::unordered_map<std::uint64_t, nb::object> known_values;
  nb::list found;
  for (std::size_t i = 0; i < changes.entries.size(); ++i) {
    const ChangeList::Entry& one = changes.entries[i];
    text.clear();
    speller.add_row(one.table, args_of(changes, i), Value::nothing(), text);
    speller.add(one.value, true, text);
    text.end();
    nb::object& value = known_values[one.value.word()];
    if (!value.is_valid()) value = text_object(text[1]);
    const Reported& now = one.change.now;
    const auto id = interval_id(text[0], text[1], in_ids(now.first_start, tick), now.first_query * tick);
    const bool is_new = one.change.op == ChangeOp::kOpen;
    const nb::object record = new_record(kind, 10);
    set_field(record, 0, text_object({id.data(), id.size()}));
    set_field(record, 1, nb::object(ops[static_cast<std::size_t>(one.change.op)]));
    set_field(record, 2, text_object(text[0]));
    set_field(record, 3, value);
    set_field(record, 4, time_object(now.start, tick));
    set_field(record, 5, time_object(now.end, tick));
    set_field(record, 6, query_time);
    set_field(record, 7, is_new ? nb::object(nb::none()) : time_object(one.change.previous.start, tick));
    set_field(record, 8, is_new ? nb::object(nb::none()) : time_object(one.change.previous.end, tick));
    set_field(record, 9,
              nb::steal(PyList_AsTuple(nb::object(nb::steal(PyList_GetSlice(causes.ptr(), changes.cause_offsets[i],
                                                                            changes.cause_offsets[i + 1])))
                                           .ptr())));
    found.append(record);
  }
  return found;
}

}  // namespace

std::unique_ptr<Speller> make_speller(const TermTable& terms, const nb::list& pieces, const nb::list& reserved,
                                      const nb::callable& write, const nb::callable& write_row) {
  Speller::Pieces given;
  for (const nb::handle some : pieces) {
    auto& made = given.emplace_back();
    if (some.is_none()) continue;
    for (const nb::handle piece : nb::cast<nb::list>(some)) made.push_back(nb::cast<std::string>(piece));
  }
  std::unordered_set<std::string> names;
  for (const nb::handle name : reserved) names.insert(nb::cast<std::string>(name));
  return std::make_unique<Speller>(
      terms, std::move(given), std::move(names),
      [write](Value value, bool is_alone) { return nb::cast<std::string>(write(value.word(), is_alone)); },
      [write_row](Index table, std::span<const Value> args) {
        nb::list words;
        for (const Value arg : args) words.append(arg.word());
        return nb::cast<std::string>(write_row(table, words));
      });
}

void bind_changes(nb::module_& module) {
  nb::class_<ChangeList>(module, "ChangeList")
      .def("__len__", [](const ChangeList& changes) { return changes.entries.size(); })
      .def("__getitem__", &column_named)
      .def("items", &all_columns);
  nb::class_<TextColumn>(module, "TextColumn")
      .def("__len__", &TextColumn::size)
      .def("buffers", &buffers)
      .def("strings", &strings);
  nb::class_<Speller>(module, "Speller")
      .def("fluents", &fluents)
      .def("values", &values)
      .def("rows", &rows, nb::arg("table"), nb::arg("words"), nb::arg("width"), nb::arg("values").none(),
           nb::arg("places"))
      .def("changes", &change_records)
      .def("forget", &Speller::forget);
  module.def("change_ids", &ids);
  module.def("shown_causes", &shown_causes);
  module.def("records", &records);
}

}  // namespace holdsfor
