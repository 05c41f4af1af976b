"""Random event descriptions with durations and conditions about the calendar, and streams around interesting moments.

Programs declare a unit from nanoseconds to days and a zone. Streams lie around the moments at which clocks are put forward
or back, at the turn of a year, long ago, and far ahead, where clocks follow a rule and no table.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from hypothesis import strategies as st

from holdsfor import loads
from holdsfor.reference import InputInterval, Record
from holdsfor.times import UNITS
from tests.strategies.engine_runs import Scenario
from tests.strategies.scenario_words import Pen
from tests.strategies.streams import Span, any_span, recorded

ZONES = ("Europe/Athens", "America/New_York", "Australia/Lord_Howe", "UTC")
MOMENTS = (
    1_774_746_000,  # Athens puts clocks forward in 2026,
    1_792_890_000,  # and back.
    1_772_953_200,  # New York
    1_793_512_800,
    1_775_314_800,  # Lord Howe, by half an hour
    1_791_041_400,
    1_798_761_600,  # the turn of the year
    2_153_955_600,  # 2038 and after: a rule, no table
    4_109_893_200,
    16_725_229_200,  # 2500
    316_600_000_000,  # 12002: no datetime goes so far
    0,
    -1_500_000_000,  # 1922
    -3_000_000_000,  # 1874: local mean time
    -100_000_000_000,  # before the year 1
)
_SPACINGS = {
    "ns": ("1 min", "17 min", "5 h", "20 ms"),
    "us": ("10 min", "7 h", "1500 us", "1 d"),
    "ms": ("10 min", "45 min", "11 h", "2 d"),
    "s": ("10 min", "30 min", "5 h", "1 d", "1 s"),
    "min": ("15 min", "1 h", "13 h", "3 d"),
    "h": ("1 h", "5 h", "25 h"),
    "d": ("1 d", "3 d"),
}
"""How far apart neighbouring times of a stream are."""


@dataclass(frozen=True)
class _Time:
    """What a program says of time-points, and how far apart those of its stream are."""

    unit: str
    zone: str
    count: int
    word: str

    @property
    def spacing(self) -> int:
        """In time-points."""
        return self.count * UNITS[self.word] // UNITS[self.unit]


def calendar_program(pen: Pen) -> str:
    """The text of a program."""
    return _program(pen, _time(pen))


def calendar_scenario(pen: Pen, *, windowed: bool, late: int = 0) -> Scenario:
    """A program with its stream; raises ProgramError if the program is refused."""
    time = _time(pen)
    text = _program(pen, time)
    reasoner = loads(text)
    records = recorded(pen, reasoner, most=24, late=pen.pick((0, late)))
    records = [one for one in records if _start(one) < 1_000_000]
    span = any_span(pen, records) if windowed else None
    # Intervals of many instances are packed into 64 bits: nanoseconds do not leave enough of them for times of today.
    near = [one for one in MOMENTS if abs(one) * UNITS["s"] < UNITS[time.unit] << 52]
    moment = pen.pick(near)
    origin = moment * UNITS["s"] // UNITS[time.unit] - pen.number(0, 8) * time.spacing + pen.number(-1, 1)
    moved = [_moved(record, origin, time.spacing) for record in records]
    wide = span and Span(
        span.size * time.spacing,
        span.step * time.spacing,
        # A session leaves out what happened up to its start, windows see what of it comes late.
        origin + min([span.start, *(_start(record) - 1 for record in records)]) * time.spacing,
        origin + span.end * time.spacing,
    )
    return Scenario(text, moved, wide, reasoner)


@st.composite
def calendar_scenarios(draw: Callable[..., int], *, windowed: bool, late: int = 0) -> Scenario:
    """Scenarios for Hypothesis."""
    return calendar_scenario(Pen.of(draw), windowed=windowed, late=late)


def _time(pen: Pen) -> _Time:
    unit = pen.weighted([(6, "s"), (2, "ms"), (1, "us"), (1, "ns"), (2, "min"), (2, "h"), (1, "d")])
    count, word = pen.pick(_SPACINGS[unit]).split()
    return _Time(unit, pen.pick(ZONES), int(count), word)


def _start(record: Record) -> int:
    return record.start if isinstance(record, InputInterval) else record.time


def _moved(record: Record, origin: int, spacing: int) -> Record:
    arrival = origin + record.arrival * spacing
    if not isinstance(record, InputInterval):
        return replace(record, time=origin + record.time * spacing, arrival=arrival)
    start = origin + record.start * spacing
    if record.is_point:
        return replace(record, start=start, end=start + 1, arrival=arrival)
    end = record.end if record.end == float("inf") else origin + int(record.end) * spacing
    return replace(record, start=start, end=end, arrival=arrival)


def _program(pen: Pen, time: _Time) -> str:
    writer = _Writer(pen, time)
    zone = [f":- time_zone('{time.zone}')."] if time.zone != "UTC" or pen.chance(50) else []
    facts = [f"limit({name},{writer.duration()})." for name in ("ann", "bob")]
    helper = "evening(T) :- hour(T,H), H >= 18."
    for number in range(pen.number(1, 3)):
        writer.rules_for(f"f{number}")
    return "\n".join([f":- time_unit({time.unit}).", *zone, helper, *pen.shuffled([*facts, *writer.rules])])


class _Writer:
    def __init__(self, pen: Pen, time: _Time) -> None:
        self._pen, self._time = pen, time
        self.rules: list[str] = []

    def duration(self, least: int = 1) -> str:
        """A duration that is a whole number of time-points, in one of several spellings."""
        pen, time = self._pen, self._time
        count = pen.number(least, 6) * time.count
        return pen.pick(
            (f"{count} {time.word}", f"{count}{time.word}", f"{time.count} {time.word} {count} {time.word}")
        )

    def rules_for(self, name: str) -> None:
        pen = self._pen
        pen.weighted([(5, self._simple), (2, self._event), (2, self._cycle), (2, self._delayed), (3, self._intervals)])(
            name
        )

    def _condition(self) -> str:
        """A condition about the calendar at T."""
        pen = self._pen
        hour, other = pen.number(0, 23), pen.number(0, 23)
        # Ordinary text for the quick path, and what the front end must take apart.
        listed = [
            f"hour(T,H), H >= {min(hour, other)}, H =< {max(hour, other)}",
            f"hour(T,{hour})",
            f"\\+ hour(T,{hour})",
            f"weekday(T,D), D {pen.pick(('=<', '>', '=:='))} {pen.number(1, 7)}",
            f"weekday(T,{pen.number(1, 7)})",
            "minute(T,Minute), Minute mod 2 =:= 0",
            f"date(T,_,Month,_), Month >= {pen.number(2, 11)}",
            f"date(T,_,_,{pen.number(1, 28)})",
            "date(T,Year,_,Day), (Year + Day) mod 2 =:= 0",
            f"time_of_day(T,Clock), Clock * 2 >= {self.duration()}",
            f"time_of_day(T - {self.duration()},Clock), Clock > {self.duration(0)}",
            "business_hours(T)",
            "\\+ business_hours(T)",
            "evening(T)",
            f"count_within(hit(X),{self.duration()},T) >= 2",
            f"(hour(T,H), H < {hour} -> weekday(T,D), D < 4 ; business_hours(T))",
            f"(business_hours(T) ; hour(T + {self.duration()},{hour}))",
        ]
        if self._time.unit != "d":
            listed.append(f"business_hours(T,{pen.number(0, 11)} h,{pen.number(12, 23)} h)")
        return pen.pick(listed)

    def _trigger(self) -> str:
        return self._pen.pick(("happensAt(go(X),T)", "happensAt(stop(X),T)", "happensAt(hit(X),T)"))

    def _simple(self, name: str) -> None:
        pen = self._pen
        back = f", happensAt(hit(X),T0), T0 < T, T - T0 =< {pen.pick((self.duration(), 'L'))}"
        back = back.replace("T0 < T", "limit(X,L), T0 < T") if back.endswith("L") else back
        first = f"{self._trigger()}, {self._condition()}" + (back if pen.chance(40) else "")
        self.rules.append(f"initiatedAt({name}(X)=true,T) :- {first}.")
        self.rules.append(f"terminatedAt({name}(X)=true,T) :- {self._trigger()}, {self._condition()}.")

    def _event(self, name: str) -> None:
        fields = self._pen.pick((("hour(T,H)", "H"), ("date(T,Y,M,D)", "Y,M,D"), ("time_of_day(T,C)", "C")))
        self.rules.append(f"happensAt({name}(X,{fields[1]}),T) :- {self._trigger()}, {fields[0]}.")
        counted = "findall(N,(happensAt(set(X,N),T),hour(T,_)),L), length(L,Size)"
        self.rules.append(f"happensAt(all_{name}(X,Size),T) :- {self._trigger()}, {counted}.")

    def _cycle(self, name: str) -> None:
        other = f"{name}_other"
        for one, two in ((name, other), (other, name)):
            negated = self._pen.pick(("", "\\+ "))
            self.rules.append(
                f"initiatedAt({one}(X)=true,T) :- {self._trigger()}, {negated}holdsAt({two}(X)=true,T), {self._condition()}."
            )
            self.rules.append(f"initiatedAt({one}(X)=true,T) :- happensAt(turn(X,_),T), {self._condition()}.")
            self.rules.append(f"terminatedAt({one}(X)=true,T) :- happensAt(stop(X),T), {self._condition()}.")

    def _delayed(self, name: str) -> None:
        self.rules.append(f"initiatedAt({name}(X)=red,T) :- {self._trigger()}, {self._condition()}.")
        delay = self.duration()
        rule = (
            f"fi({name}(X)=red, {name}(X)=blue, {delay})." if self._pen.chance(60) else f"ft({name}(X)=red, {delay})."
        )
        self.rules.append(rule if self._pen.chance(60) else rule.replace(f"{delay}).", "L) :- limit(X,L)."))
        if self._pen.chance(40):
            self.rules.append(f"p({name}(X)=red).")

    def _intervals(self, name: str) -> None:
        pen = self._pen
        self._simple(f"{name}_input")
        operator = pen.pick(
            (
                f"intDurGreater(I1,{self.duration()},I)",
                f"intDurAtMost(I1,{self.duration()},I)",
                f"diamond_minus(I1,[0,{self.duration()}],I)",
                f"box_minus(I1,[{self.duration()},inf],I)",
                f"diamond_minus(I1,[{self._time.count} {self._time.word},{self.duration()}],I)",
            )
        )
        self.rules.append(f"holdsFor({name}(X)=true,I) :- holdsFor({name}_input(X)=true,I1), {operator}.")
