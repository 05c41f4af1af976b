#include "bindings_values.h"

#include <cmath>
#include <memory>
#include <utility>
#include <vector>

#include "ids.h"

namespace nb = nanobind;

namespace holdsfor {
namespace {

// From 2^53 on, a float and the integer of the same value are different terms.
constexpr double kExact = 9007199254740992.0;

Value value_of_real(TermTable& terms, double number) {
  if (std::abs(number) < kExact && std::trunc(number) == number) {
    return Value::integer(static_cast<std::int64_t>(number));
  }
  return terms.real(number);
}

template <typename T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> column_of(std::vector<T> words) {
  using Words = std::vector<T>;
  auto kept = std::make_unique<Words>(std::move(words));
  T* data = kept->data();
  const std::size_t size = kept->size();
  // From here on Python owns the memory.
  const nb::capsule owner(kept.release(),
                          [](void* mine) noexcept { std::default_delete<Words>()(static_cast<Words*>(mine)); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(data, {size}, owner);
}

nb::object object_of(const TermTable& terms, Value value) {
  if (value.is_integer()) return nb::int_(value.as_integer());
  if (value.is_real()) return nb::float_(value.as_real());
  if (!value.is_code()) return nb::none();
  const Term& term = terms[value];
  if (term.kind == TermKind::kName) return nb::str(term.text.data(), term.text.size());
  if (term.kind == TermKind::kReal) return nb::float_(term.real);
  return nb::none();
}

// The text belongs to the object.
std::string_view text_of(nb::handle object) {
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(object.ptr(), &size);
  if (text == nullptr) throw nb::python_error();
  return {text, static_cast<std::size_t>(size)};
}

}  // namespace

std::optional<Value> value_of_object(TermTable& terms, nb::handle object) {
  PyObject* const raw = object.ptr();
  if (PyUnicode_Check(raw) != 0) return terms.name(text_of(object));
  if (PyBool_Check(raw) != 0) return terms.name(raw == Py_True ? "true" : "false");
  if (PyLong_Check(raw) != 0) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(raw, &overflow);
    if (overflow == 0) return terms.integer(number);
    // Python refuses to convert numbers with very many digits this way.
    const nb::object digits = nb::steal(PyObject_Str(raw));
    if (digits.is_valid()) return terms.big_integer(text_of(digits));
    PyErr_Clear();
    return std::nullopt;
  }
  if (PyFloat_Check(raw) != 0) {
    const double number = PyFloat_AsDouble(raw);
    if (std::isnan(number)) return std::nullopt;
    return value_of_real(terms, number);
  }
  return std::nullopt;
}

WordColumn words_of_objects(TermTable& terms, const nb::list& objects) {
  std::vector<std::uint64_t> words;
  words.reserve(objects.size());
  for (const nb::handle object : objects) {
    words.push_back(value_of_object(terms, object).value_or(Value::nothing()).word());
  }
  return column_of(std::move(words));
}

WordColumn words_of_reals(TermTable& terms, const RealsGiven& numbers) {
  std::vector<std::uint64_t> words(numbers.size());
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = value_of_real(terms, numbers(i)).word();
  return column_of(std::move(words));
}

nb::list objects_of_words(const TermTable& terms, const WordsGiven& words) {
  nb::list found;
  for (std::size_t i = 0; i < words.size(); ++i) found.append(object_of(terms, Value::from_word(words(i))));
  return found;
}

std::optional<CodeColumn> codes_of_words(const WordsGiven& words, std::size_t width, std::size_t place,
                                         const CodesGiven& codes) {
  if (place >= width || words.size() % width != 0) throw nb::value_error("not as many words as rows have columns");
  std::vector<std::int64_t> found;
  found.reserve(words.size() / width);
  for (std::size_t at = place; at < words.size(); at += width) {
    const Value word = Value::from_word(words(at));
    if (!word.is_code() || word.as_code() >= codes.size() || codes(word.as_code()) < 0) return std::nullopt;
    found.push_back(codes(word.as_code()));
  }
  return column_of(std::move(found));
}

nb::list ids_of_intervals(const nb::list& fluents, const nb::list& values, const TimesGiven& starts,
                          const TimesGiven& queries, Time tick) {
  if (values.size() != fluents.size() || starts.size() != fluents.size() || queries.size() != fluents.size()) {
    throw nb::value_error("columns of different lengths");
  }
  nb::list found;
  for (std::size_t i = 0; i < fluents.size(); ++i) {
    const auto id = interval_id(text_hash(text_of(fluents[i])), text_hash(text_of(values[i])),
                                start_in_id(starts(i), tick), queries(i) * tick);
    found.append(nb::str(id.data(), id.size()));
  }
  return found;
}

}  // namespace holdsfor
