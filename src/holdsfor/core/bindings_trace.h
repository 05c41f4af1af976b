// Traces of keys for Python.
#pragma once

#include <nanobind/nanobind.h>

namespace holdsfor {

void bind_trace(nanobind::module_& module);

}  // namespace holdsfor
