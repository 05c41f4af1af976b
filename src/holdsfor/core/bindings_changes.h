// Changes for Python: as columns, as text, and as objects.
#pragma once

#include <nanobind/nanobind.h>

#include "engine.h"
#include "spelling.h"

namespace holdsfor {

// Spells the terms of a core. `pieces` by table is None for those that are written with operators; `write(word,
// is_alone)` and `write_row(table, words)` give text that only Python can.
std::unique_ptr<Speller> make_speller(const TermTable& terms, const nanobind::list& pieces,
                                      const nanobind::list& reserved, const nanobind::callable& write,
                                      const nanobind::callable& write_row);

void bind_changes(nanobind::module_& module);

}  // namespace holdsfor
