// Passes traces of keys to Python.
#pragma once

#include <nanobind/nanobind.h>

namespace holdsfor {

void bind_trace(nanobind::module_& module);

}  // namespace holdsfor
