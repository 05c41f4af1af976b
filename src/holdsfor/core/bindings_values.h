// Converts columns of Python objects and numbers to values, and back. One call converts a column.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <optional>

#include "terms.h"

namespace holdsfor {

using WordColumn = nanobind::ndarray<nanobind::numpy, std::uint64_t, nanobind::ndim<1>>;
using WordsGiven = nanobind::ndarray<const std::uint64_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using RealsGiven = nanobind::ndarray<const double, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

// Text, a number or a truth value. Nothing for other objects and for numbers with thousands of digits: Python handles
// these.
std::optional<Value> value_of_object(TermTable& terms, nanobind::handle object);

// The words of objects. `Value::nothing()` marks objects that Python handles.
WordColumn words_of_objects(TermTable& terms, const nanobind::list& objects);

// The words of a column of floats. Floats without a fraction become integers.
WordColumn words_of_reals(TermTable& terms, const RealsGiven& numbers);

// Text and numbers; None for all other words.
nanobind::list objects_of_words(const TermTable& terms, const WordsGiven& words);

using CodeColumn = nanobind::ndarray<nanobind::numpy, std::int64_t, nanobind::ndim<1>>;
using CodesGiven = nanobind::ndarray<const std::int64_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

// The dictionary codes for one column of row words; each row is `width` words wide. `codes` maps term codes to
// dictionary codes; a negative entry means no code. Nothing if a word is not a term or has no code yet.
std::optional<CodeColumn> codes_of_words(const WordsGiven& words, std::size_t width, std::size_t place,
                                         const CodesGiven& codes);

using TimesGiven = nanobind::ndarray<const std::int64_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

// The ids of intervals as text, from the texts of their fluents and values. Times are in ticks.
nanobind::list ids_of_intervals(const nanobind::list& fluents, const nanobind::list& values, const TimesGiven& starts,
                                const TimesGiven& queries, Time tick);

}  // namespace holdsfor
