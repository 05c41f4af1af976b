// Creates changes as Python objects.
#pragma once

#include <nanobind/nanobind.h>

#include "engine.h"
#include "spelling.h"

namespace holdsfor {

// `change_class` and `cause_class` are named tuples. `ops` and `kinds` map numbers to operations and input kinds.
//
// The fields of a change: id, op, fluent, value, start, end, query time, previous start and end, tuple of causes. The
// fields of a cause: kind, text, start, end. Times are ticks multiplied by `tick`, or None.
nanobind::list change_objects(Speller& speller, const ChangeList& changes, nanobind::handle change_class,
                              nanobind::handle cause_class, const nanobind::tuple& ops, const nanobind::tuple& kinds,
                              const nanobind::object& query_time, Time tick);

}  // namespace holdsfor
