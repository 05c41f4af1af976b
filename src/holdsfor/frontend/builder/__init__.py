"""Rules written in Python instead of rule text; they give the same program.

>>> from holdsfor.frontend.builder import Rules, event, fluent, variables
>>> from holdsfor.frontend.rtec import print_program
>>> rules = Rules()
>>> Vessel, Other = variables("Vessel Other")
>>> slow, near = fluent("lowSpeed"), fluent("proximity")
>>> rules.initiate(slow(Vessel)).when(event("slow_motion_start")(Vessel))
>>> rules.holds(fluent("rendezVous")(Vessel, Other)).during(slow(Vessel) & slow(Other) & near(Vessel, Other))
>>> print(print_program(rules.program()), end="")
initiatedAt(lowSpeed(Vessel)=true, T) :-
    happensAt(slow_motion_start(Vessel), T).
holdsFor(rendezVous(Vessel,Other)=true, I) :-
    holdsFor(lowSpeed(Vessel)=true, I1),
    holdsFor(lowSpeed(Other)=true, I2),
    holdsFor(proximity(Vessel,Other)=true, I3),
    intersect_all([I1,I2,I3], I).
"""

from holdsfor.frontend.builder.conditions import Condition
from holdsfor.frontend.builder.control import (
    CUT,
    NEVER,
    complement,
    either,
    empty,
    find_all,
    if_,
    intersection,
    let,
    named,
    nonempty,
    not_,
    seq,
    spans,
    union,
    without,
)
from holdsfor.frontend.builder.errors import BuilderError
from holdsfor.frontend.builder.rules import Rules
from holdsfor.frontend.builder.situations import Mode, Situation
from holdsfor.frontend.builder.sliding import (
    avg_within,
    count_within,
    distinct_within,
    max_within,
    min_within,
    sum_within,
    top,
)
from holdsfor.frontend.builder.states import Pair, State
from holdsfor.frontend.builder.symbols import (
    Event,
    Fact,
    Fluent,
    end,
    event,
    fact,
    fluent,
    initiated,
    lib,
    start,
    terminated,
)
from holdsfor.frontend.builder.terms import TermLike
from holdsfor.frontend.builder.values import ANY, T, Value, compare, duration, fn, items, term, var, variables

__all__ = [
    "ANY",
    "CUT",
    "NEVER",
    "BuilderError",
    "Condition",
    "Event",
    "Fact",
    "Fluent",
    "Mode",
    "Pair",
    "Rules",
    "Situation",
    "State",
    "T",
    "TermLike",
    "Value",
    "avg_within",
    "compare",
    "complement",
    "count_within",
    "distinct_within",
    "duration",
    "either",
    "empty",
    "end",
    "event",
    "fact",
    "find_all",
    "fluent",
    "fn",
    "if_",
    "initiated",
    "intersection",
    "items",
    "let",
    "lib",
    "max_within",
    "min_within",
    "named",
    "nonempty",
    "not_",
    "seq",
    "spans",
    "start",
    "sum_within",
    "term",
    "terminated",
    "top",
    "union",
    "var",
    "variables",
    "without",
]
