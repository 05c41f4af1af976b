"""Bugs of the core and of what lowers programs to plans, each found by the law of the driver (`core_search.py`)."""

from __future__ import annotations

from tests.mutation.core_planting import CoreBug

BUGS: list[CoreBug] = [
    # Intervals
    CoreBug(
        "a union does not join intervals that touch",
        "intervals.cpp",
        "if (kept > 0 && «one.start <= list[kept - 1].end»)",
        "one.start < list[kept - 1].end",
    ),
    CoreBug(
        "a point inside the last interval is not seen",
        "intervals.cpp",
        "return after != list.begin() && «time < std::prev(after)->end»",
        "time + 1 < std::prev(after)->end",
    ),
    CoreBug(
        "an intersection forgets its last list",
        "intervals.cpp",
        "inputs.subspan(«std::min<std::size_t>(1, inputs.size())»)",
        "std::min<std::size_t>(inputs.size() > 2 ? 2 : 1, inputs.size())",
    ),
    CoreBug(
        "a complement ends with the last interval",
        "intervals.cpp",
        "if («start < kForever») gaps.push_back",
        "start < kForever && united.empty()",
    ),
    CoreBug(
        "a sequence skips an interval in between",
        "sequence.cpp",
        "const bool is_overtaken = «i + 1 < first.size() && first[i + 1].end <= b.start»",
        "false",
    ),
    CoreBug("during takes in finishes", "allen.cpp", "return «s > t && f < g»;", "s > t && f <= g"),
    CoreBug(
        "before looks at the next target alone",
        "allen.cpp",
        "related(relation, a, «targets.back()»)",
        "targets.front()",
    ),
    # Arithmetic
    CoreBug(
        "whole numbers are divided without a rest",
        "arithmetic.cpp",
        "if («left % right == 0») return terms_.integer(left / right);",
        "true",
    ),
    CoreBug(
        "the mean is a sum",
        "aggregates.cpp",
        "std::array{Value::integer(*total), «Value::integer(count)»}",
        "Value::integer(1)",
    ),
    CoreBug(
        "equal items are different",
        "aggregates.cpp",
        "return Value::integer(«std::unique(words.begin(), words.end()) - words.begin()»)",
        "std::ptrdiff_t(words.size())",
    ),
    # Changes
    CoreBug(
        "an interval that ended early was closed", "changes.cpp", "last.end == kForever && «now.end > before»", "true"
    ),
    CoreBug(
        "two intervals that grew together keep both ids",
        "changes.cpp",
        "if («is_met || is_in_sight(last[i], times.low)») changes.push_back",
        "false",
    ),
    CoreBug(
        "what is split off keeps the id",
        "changes.cpp",
        "const std::size_t place = «is_shared ? first + 1 : first»",
        "first",
    ),
]
