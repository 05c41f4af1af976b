// Events in tables as other libraries hand them over, by the C stream interface of Arrow: columns as rows of words.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "terms.h"

struct ArrowArrayStream;

namespace holdsfor {

struct TableEvents {
  std::vector<std::int64_t> times;
  std::vector<std::uint64_t> words;  // of the arguments, row by row
  Time last = kNever;                // the largest time
};

// The rows of a table with a column `time` and so many others, which are the arguments in order. Nothing if they need
// to be looked at more closely: gaps, times beyond `latest`, other types than whole numbers, floats and text, numbers
// that no float has exactly, columns with another meaning.
std::optional<TableEvents> read_events(ArrowArrayStream& stream, std::size_t width, Time latest, TermTable& terms);

}  // namespace holdsfor
