// Changes as Python objects.
#pragma once

#include <nanobind/nanobind.h>

#include "engine.h"
#include "spelling.h"

namespace holdsfor {

// The classes of the objects: named tuples, and what they have for operations and kinds of inputs, by number.
//
// A change is id, op, fluent, value, start, end, query time, previous start and end, and a tuple of causes; a cause is
// kind, text, start and end. Times are numbers of ticks times `tick`, or None.
nanobind::list change_objects(Speller& speller, const ChangeList& changes, nanobind::handle change_class,
                              nanobind::handle cause_class, const nanobind::tuple& ops, const nanobind::tuple& kinds,
                              const nanobind::object& query_time, Time tick);

}  // namespace holdsfor
