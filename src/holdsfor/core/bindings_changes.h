// Passes changes to Python: as columns, as text, and as objects.
#pragma once

#include <nanobind/nanobind.h>

#include "engine.h"
#include "spelling.h"

namespace holdsfor {

// Spells the terms of a core. `pieces` has an entry for each table; None for fluents and events written with operators.
// `write(word, is_alone)` and `write_row(table, words)` return text that only Python can produce.
std::unique_ptr<Speller> make_speller(const TermTable& terms, const nanobind::list& pieces,
                                      const nanobind::list& reserved, const nanobind::callable& write,
                                      const nanobind::callable& write_row);

void bind_changes(nanobind::module_& module);

}  // namespace holdsfor
