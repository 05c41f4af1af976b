// Reads events from tables of other libraries through the C stream interface of Arrow: columns become rows of words.
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

// The rows of a table with a column `time` and `width` argument columns, in order. Nothing if the table needs the slow
// reader in Python: gaps, times after `latest`, types other than integers, floats and text, integers without an exact
// float, columns with another meaning.
std::optional<TableEvents> read_events(ArrowArrayStream& stream, std::size_t width, Time latest, TermTable& terms);

}  // namespace holdsfor
