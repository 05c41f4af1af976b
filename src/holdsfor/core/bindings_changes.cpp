// Changes for data tools: columns of text and times, in the layout of Arrow.
#include "bindings_changes.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

#include "bindings_arrays.h"
#include "bindings_objects.h"
#include "change_texts.h"
#include "python_host.h"

namespace nb = nanobind;

namespace holdsfor {
namespace {

// Columns in the engine's representation

template <typename T, typename Get>
nb::object column(const ChangeList& changes, const Get& get) {
  std::vector<T> found;
  found.reserve(changes.entries.size());
  for (const ChangeList::Entry& one : changes.entries) found.push_back(get(one));
  return nb::cast(array_of(std::move(found)));
}

nb::dict columns(const ChangeList& changes) {
  using Entry = ChangeList::Entry;
  const auto time = [&](const auto& get) {
    return column<std::int64_t>(changes, [&](const Entry& one) { return get(one.change); });
  };
  nb::dict found;
  found["table"] = column<std::uint32_t>(changes, [](const Entry& one) { return one.table; });
  found["op"] =
      column<std::uint8_t>(changes, [](const Entry& one) { return static_cast<std::uint8_t>(one.change.op); });
  found["value"] = column<std::uint64_t>(changes, [](const Entry& one) { return one.value.word(); });
  found["start"] = time([](const Change& one) { return one.now.start; });
  found["end"] = time([](const Change& one) { return one.now.end; });
  found["prev_start"] = time([](const Change& one) { return one.previous.start; });
  found["prev_end"] = time([](const Change& one) { return one.previous.end; });
  found["first_start"] = time([](const Change& one) { return one.now.first_start; });
  found["first_query"] = time([](const Change& one) { return one.now.first_query; });
  found["offsets"] = array_of(changes.offsets);
  found["columns"] = array_of(words_of(changes.columns));
  found["cause_offsets"] = array_of(changes.cause_offsets);
  found["causes"] = array_of(changes.causes);
  return found;
}

// The words of all terms that are not spelled yet.
nb::object words(const ChangeList& changes) {
  Words found = words_of(changes.columns);
  const auto add = [&](const std::vector<Value>& some) {
    for (const Value value : some) found.push_back(value.word());
  };
  for (const ChangeList::Entry& one : changes.entries) found.push_back(one.value.word());
  for (const auto& batch : changes.inputs) {
    add(batch->args);
    add(batch->values);
  }
  return nb::cast(array_of(std::move(found)));
}

// Columns as text

// Offsets and bytes.
nb::tuple given(TextColumn texts) {
  return nb::make_tuple(array_of(texts.take_offsets()), array_of(texts.take_bytes()));
}

// Times, and a validity bit for each, which is set if the time is neither an open end nor an unbounded start.
class TimeColumn {
 public:
  TimeColumn(std::size_t size, Time tick) : tick_(tick), bits_((size + 7) / 8) { times_.reserve(size); }
  void add(Time ticks, bool is_known = true) {
    const bool is_there = is_known && ticks != kForever && ticks != kNever;
    const std::size_t at = times_.size();
    if (is_there) bits_[at / 8] = static_cast<std::uint8_t>(bits_[at / 8] | 1U << at % 8);
    times_.push_back(is_there ? ticks * tick_ : 0);
  }
  // Bits and times.
  nb::tuple given() { return nb::make_tuple(array_of(std::move(bits_)), array_of(std::move(times_))); }

 private:
  Time tick_;
  std::vector<Time> times_;
  std::vector<std::uint8_t> bits_;
};

// The columns of changes by name, without causes and without the query time, which is the same for all.
nb::dict spelled_columns(Speller& speller, const ChangeList& changes, const nb::list& op_names, Time tick) {
  std::vector<std::string> ops;
  for (const nb::handle name : op_names) ops.push_back(nb::cast<std::string>(name));
  const std::size_t size = changes.entries.size();
  TextColumn id;
  TextColumn op;
  TextColumn fluent;
  TextColumn value;
  id.reserve(size, size * kIdDigits);
  op.reserve(size, size * 8);
  fluent.reserve(size, size * 24);
  value.reserve(size, size * 8);
  TimeColumn start(size, tick);
  TimeColumn end(size, tick);
  TimeColumn previous_start(size, tick);
  TimeColumn previous_end(size, tick);
  ChangeTexts texts(speller, changes, tick);
  for (std::size_t i = 0; i < size; ++i) {
    const Change& change = changes.entries[i].change;
    texts.go_to(i);
    const IntervalId made = texts.id();
    id.add_whole({made.data(), made.size()});
    op.add_whole(ops.at(static_cast<std::size_t>(change.op)));
    fluent.add_whole(texts.fluent());
    value.add_whole(texts.value());
    const bool has_previous = change.op != ChangeOp::kOpen;
    start.add(change.now.start);
    end.add(change.now.end);
    previous_start.add(change.previous.start, has_previous);
    previous_end.add(change.previous.end, has_previous);
  }
  nb::dict found;
  found["id"] = given(std::move(id));
  found["op"] = given(std::move(op));
  found["fluent"] = given(std::move(fluent));
  found["value"] = given(std::move(value));
  found["start"] = start.given();
  found["end"] = end.given();
  found["previous_start"] = previous_start.given();
  found["previous_end"] = previous_end.given();
  return found;
}

nb::object cause_offsets(const ChangeList& changes) {
  if (changes.causes.size() > INT32_MAX) throw std::length_error("there are more than 2,147,483,647 causes");
  std::vector<std::int32_t> offsets;
  offsets.reserve(changes.cause_offsets.size());
  for (const std::int64_t offset : changes.cause_offsets) offsets.push_back(static_cast<std::int32_t>(offset));
  return nb::cast(array_of(std::move(offsets)));
}

// Causes as text, such as "arrived turn(ann) at 5" or "retracted near(ann)=true from 3 to 9". Returns the offsets of
// the causes of each change, the text number of each cause, and the texts.
nb::tuple spelled_causes(Speller& speller, const ChangeList& changes, const nb::list& kind_names, Time tick) {
  std::vector<std::string> kinds;
  for (const nb::handle name : kind_names) kinds.push_back(nb::cast<std::string>(name) + " ");
  NamedInputs inputs(changes);
  TextColumn texts;
  texts.reserve(inputs.size(), inputs.size() * 40);
  inputs.each([&](const NamedInputs::Row& input) {
    const Time end = input.batch->end_of(input.row);
    texts.add(kinds.at(static_cast<std::size_t>(input.batch->kind_of(input.row))));
    add_input(speller, input, texts);
    texts.add(end == kForever ? " at " : " from ");
    texts.add(input.batch->starts[input.row] * tick);
    if (end != kForever) {
      texts.add(" to ");
      texts.add(end * tick);
    }
    texts.end();
  });
  return nb::make_tuple(cause_offsets(changes), array_of(inputs.take_places()), given(std::move(texts)));
}

// Causes in parts, for callers that format times themselves. Instead of texts: kind numbers, texts of the inputs,
// starts and ends. Events and open intervals have the end kForever.
nb::tuple cause_parts(Speller& speller, const ChangeList& changes) {
  NamedInputs inputs(changes);
  std::vector<std::uint8_t> kinds;
  std::vector<Time> starts;
  std::vector<Time> ends;
  TextColumn texts;
  inputs.each([&](const NamedInputs::Row& input) {
    kinds.push_back(static_cast<std::uint8_t>(input.batch->kind_of(input.row)));
    starts.push_back(input.batch->starts[input.row]);
    ends.push_back(input.batch->end_of(input.row));
    add_input(speller, input, texts);
    texts.end();
  });
  return nb::make_tuple(cause_offsets(changes), array_of(inputs.take_places()), array_of(std::move(kinds)),
                        given(std::move(texts)), array_of(std::move(starts)), array_of(std::move(ends)));
}

}  // namespace

std::unique_ptr<Speller> make_speller(const TermTable& terms, const nb::list& pieces, const nb::list& reserved,
                                      const nb::callable& write, const nb::callable& write_row) {
  Speller::Pieces made;
  for (const nb::handle some : pieces) {
    auto& row = made.emplace_back();
    if (some.is_none()) continue;
    for (const nb::handle piece : nb::cast<nb::list>(some)) row.push_back(nb::cast<std::string>(piece));
  }
  std::unordered_set<std::string> names;
  for (const nb::handle name : reserved) names.insert(nb::cast<std::string>(name));
  return std::make_unique<Speller>(
      terms, std::move(made), std::move(names),
      [write](Value value, bool is_alone) { return nb::cast<std::string>(write(value.word(), is_alone)); },
      [write_row](Index table, std::span<const Value> args) {
        nb::list row;
        for (const Value arg : args) row.append(arg.word());
        return nb::cast<std::string>(write_row(table, row));
      });
}

void bind_changes(nb::module_& module) {
  nb::class_<ChangeList>(module, "ChangeList")
      .def("__len__", [](const ChangeList& changes) { return changes.entries.size(); })
      .def("columns", &columns)
      .def("words", &words);
  nb::class_<Speller>(module, "Speller")
      .def("columns", &spelled_columns)
      .def("causes", &spelled_causes)
      .def("cause_parts", &cause_parts)
      .def("objects", &change_objects)
      .def("forget", &Speller::forget);
}

}  // namespace holdsfor
