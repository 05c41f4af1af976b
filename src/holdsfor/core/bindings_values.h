// Columns of Python objects and of numbers as values, and back: one call for a column.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <optional>

#include "terms.h"

namespace holdsfor {

using WordColumn = nanobind::ndarray<nanobind::numpy, std::uint64_t, nanobind::ndim<1>>;
using WordsGiven = nanobind::ndarray<const std::uint64_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;
using RealsGiven = nanobind::ndarray<const double, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

// Text, a number, or a truth value. Nothing for all else, and for numbers of thousands of digits: that is for Python.
std::optional<Value> value_of_object(TermTable& terms, nanobind::handle object);

// The words of some objects; `Value::nothing()` for those that are for Python.
WordColumn words_of_objects(TermTable& terms, const nanobind::list& objects);

// The words of a column of floats, of which those without a fraction are whole numbers.
WordColumn words_of_reals(TermTable& terms, const RealsGiven& numbers);

// Text and numbers; None for all else.
nanobind::list objects_of_words(const TermTable& terms, const WordsGiven& words);

using CodeColumn = nanobind::ndarray<nanobind::numpy, std::int64_t, nanobind::ndim<1>>;
using CodesGiven = nanobind::ndarray<const std::int64_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

// The codes that a dictionary has for one column of the words of rows, each `width` wide. `codes` has those of terms,
// or less than zero. Nothing if a word is no term, or has no code yet.
std::optional<CodeColumn> codes_of_words(const WordsGiven& words, std::size_t width, std::size_t place,
                                         const CodesGiven& codes);

using TimesGiven = nanobind::ndarray<const std::int64_t, nanobind::ndim<1>, nanobind::c_contig, nanobind::device::cpu>;

// The ids of intervals as text, from the texts of their fluents and values; times are numbers of ticks.
nanobind::list ids_of_intervals(const nanobind::list& fluents, const nanobind::list& values, const TimesGiven& starts,
                                const TimesGiven& queries, Time tick);

}  // namespace holdsfor
