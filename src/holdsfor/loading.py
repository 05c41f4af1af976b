"""Loading rule files into a checked, planned program."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from holdsfor.compiler.analyse import Analysis, analyse
from holdsfor.compiler.compile import check
from holdsfor.compiler.describe import described
from holdsfor.compiler.limits import MAX_DELAYED_EFFECTS
from holdsfor.compiler.plan import Plan, make_plan
from holdsfor.diagnostics import Diagnostic, HoldsforError, ProgramError, Source, errors_of, require_text, warn_caller
from holdsfor.explain.limits import DEPTH
from holdsfor.frontend.rtec import parse_program
from holdsfor.frontend.rtec.files import ReadFile
from holdsfor.garbage import no_garbage_collection
from holdsfor.io.fact_files import named_table
from holdsfor.ir import Declaration, DeclarationKind, Program
from holdsfor.syntax.terms import ANONYMOUS_PREFIX, Const, Var
from holdsfor.times import (
    DurationInput,
    Span,
    TimeInput,
    TimeScale,
    duration,
    span_in_points,
    time_point,
    time_point_or_none,
    unit_of,
)

if TYPE_CHECKING:
    # NumPy and Arrow take longer to import than everything else together; they wait until there is data.
    from holdsfor.columns.windows import WindowPlan
    from holdsfor.explain.asking import Explainer
    from holdsfor.explain.explanation import Explanation
    from holdsfor.io.builder import Reading
    from holdsfor.io.rejects import Rejects
    from holdsfor.recognition import EventsInput, MappingInput
    from holdsfor.result import Result
    from holdsfor.session import Session
    from holdsfor.viz.program_graph import ProgramGraph
    from holdsfor.viz.view import Granularity

Background: TypeAlias = str | Path | Iterable[str | Path] | Mapping[str, Any]
"""Files with facts and rules or with tables of facts, or tables of facts by predicate name."""


METRIC_FILES = ".dmtl"
"""The file name endings of metric rules."""
_RULE_FILE = re.compile(r"[\w./\\ -]+\.(prolog|pl|dmtl)")


@dataclass(frozen=True, repr=False)
class Reasoner:
    """A program that has been read and checked. `diagnostics` has all findings."""

    analysis: Analysis
    diagnostics: tuple[Diagnostic, ...]
    max_delayed_effects: int = MAX_DELAYED_EFFECTS
    """How many delayed effects may follow from each other with no event in between, before a run stops with an error."""

    @property
    def program(self) -> Program:
        """The rules."""
        return self.analysis.program

    @property
    def time_scale(self) -> TimeScale | None:
        """The length of a time-point, if the rules declare it: `:- time_unit(s).`"""
        return self.analysis.written.time_scale

    def __repr__(self) -> str:
        """A summary with size, input and output: `<Reasoner: 1 rule; reads unlock; finds open>`."""
        return f"<Reasoner: {described(self.analysis)}>"

    @cached_property
    def plan(self) -> Plan:
        """The plan of the program; raises ProgramError if it has errors."""
        self.require_no_errors()
        with no_garbage_collection():
            return replace(make_plan(self.analysis), max_delayed_effects=self.max_delayed_effects)

    def limited(self, *, max_delayed_effects: int) -> Reasoner:
        """The same program with another limit on chains of delayed effects.

        >>> loads("fi(lamp=on, lamp=off, 5).").limited(max_delayed_effects=1000).max_delayed_effects
        1000
        """
        if max_delayed_effects < 1:
            raise HoldsforError(f"max_delayed_effects is {max_delayed_effects}; it must be at least 1")
        return replace(self, max_delayed_effects=max_delayed_effects)

    def with_background(self, background: Background) -> Reasoner:
        """The same rules with more background knowledge."""
        found = from_program(self.analysis.written + background_program(background))
        return replace(found, max_delayed_effects=self.max_delayed_effects)

    def forgetting(self, after: DurationInput, unit: str | None = None) -> Reasoner:
        """The same program, which also ends the fluents of entities that the input has not mentioned for this long.

        It means the same as `forget(_, after)` in the rules: see docs/language.md. If the rules or a `unit` declare the
        time unit, it can be a duration such as "30 days".

        >>> door = loads("initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T).").forgetting(5)
        >>> door.recognise({"unlock": [(3, "front"), (20, "back")]})
        2 intervals at 1 query time
        query_time  fluent       value  start  end
                20  open(back)   true      21  inf
                20  open(front)  true       4    9
        """
        points = duration(after, unit_of(self.time_scale, unit), "forget")
        if points < 1:
            raise HoldsforError(f"forget must be at least 1, not {after}")
        self.require_no_errors()
        everything = Declaration(DeclarationKind.FORGET, (Var(f"{ANONYMOUS_PREFIX}1"), Const(points)))
        found = from_program(self.analysis.written + Program((everything,)))
        return replace(found, max_delayed_effects=self.max_delayed_effects)

    def _plan_with(
        self,
        background: Background | None,
        max_delayed_effects: int | None,
        clock_tick: DurationInput | None = None,
        unit: str | None = None,
        forget: DurationInput | None = None,
    ) -> Plan:
        found = self if background is None else self.with_background(background)
        found = found if forget is None else found.forgetting(forget, unit)
        found = found if max_delayed_effects is None else found.limited(max_delayed_effects=max_delayed_effects)
        return (found if clock_tick is None else found.with_clock_tick(clock_tick, unit)).plan

    def with_clock_tick(self, tick: DurationInput, unit: str | None = None) -> Reasoner:
        """The same rules for a stream whose time-points are the multiples of a number, such as the frames of a video.

        Rules still use time: a delay of 200 is five ticks of 40. A time between two time-points is rounded down. If the
        rules or a `unit` declare the time unit, the tick can be a duration such as "40 ms".
        """
        from holdsfor.columns.ticks import require_tick

        if isinstance(tick, str | timedelta):
            tick = duration(tick, unit_of(self.time_scale, unit), "clock_tick")
        size = require_tick(tick)
        if size == self.analysis.written.clock_tick:
            return self
        self.require_no_errors()
        analysis = analyse(replace(self.analysis.written, clock_tick=size))
        return replace(self, analysis=analysis, diagnostics=(*self.diagnostics, *errors_of(analysis.findings)))

    def recognise(
        self,
        events: EventsInput,
        *,
        window: DurationInput | None = None,
        step: DurationInput | None = None,
        start: TimeInput | None = None,
        end: TimeInput | None = None,
        clock_tick: DurationInput | None = None,
        background: Background | None = None,
        mapping: MappingInput = None,
        unit: str | None = None,
        strict: bool = False,
        max_delayed_effects: int | None = None,
        max_ahead: DurationInput | None = None,
        forget: DurationInput | None = None,
        threads: int | None = None,
    ) -> Result:
        """Find the intervals during which situations hold.

        `events` are files, or tables by event name (pandas, polars, Arrow, DuckDB, lists of tuples or dicts) with
        columns `time`, optionally `arrival`, and the arguments in order. `threads` is the number of threads; the
        default is one for each processor. The answers do not depend on it. A chain of more than `max_delayed_effects`
        delayed effects without an event is an error. Rows more than `max_ahead` time-points after the median are
        counted and set aside. `forget` is a timeout for entities that the input does not mention. Time-points are the
        multiples of `clock_tick`.

        `unit` is the time unit: `s`, `ms`, `us`, `ns`, `min`, `h` or `d`. Timestamps are counted in it; the default is
        seconds. If it is known, times can be datetimes or text such as "2026-03-01T12:00Z", and windows can be
        timedeltas or text such as "1h".

        >>> rules = "initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T)."
        >>> loads(rules).recognise({"unlock": [(3, "front")]})
        1 interval at 1 query time
        query_time  fluent       value  start  end
                 3  open(front)  true       4  inf
        """
        from holdsfor.io.rejects import Rejects

        if threads is not None and threads < 1:
            raise HoldsforError(f"threads must be at least 1, not {threads}")
        plan = self._plan_with(background, max_delayed_effects, clock_tick, unit, forget)
        reading = read_input(plan, events, mapping, unit, Rejects(strict=strict), max_ahead)
        span = (window, step, start, end)
        return recognised(plan, reading, span, threads=threads, events=events, mapping=mapping)

    def explain(
        self,
        question: str,
        at: TimeInput,
        *,
        events: EventsInput,
        window: DurationInput | None = None,
        step: DurationInput | None = None,
        start: TimeInput | None = None,
        end: TimeInput | None = None,
        background: Background | None = None,
        mapping: MappingInput = None,
        unit: str | None = None,
        query_time: TimeInput | None = None,
        depth: int | None = DEPTH,
    ) -> Explanation:
        """Explain why a situation holds at a time-point, or why not; evaluates only what the question needs.

        >>> rules = "initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T)."
        >>> loads(rules).explain("open(front)=true", 5, events={"unlock": [(3, "front")]}).holds
        True
        """
        explainer, known = self._explainer(events, (window, step, start, end), background, mapping, unit)
        query = time_point_or_none(query_time, known, "query_time")
        return explainer.explain(question, time_point(at, known, "at"), query_time=query, depth=depth)

    def why(
        self,
        question: str,
        at: TimeInput,
        *,
        events: EventsInput,
        window: DurationInput | None = None,
        step: DurationInput | None = None,
        start: TimeInput | None = None,
        end: TimeInput | None = None,
        background: Background | None = None,
        mapping: MappingInput = None,
        unit: str | None = None,
        query_time: TimeInput | None = None,
        depth: int | None = DEPTH,
    ) -> Explanation:
        """Explain why a situation holds at a time-point; raises HoldsforError if it does not."""
        explainer, known = self._explainer(events, (window, step, start, end), background, mapping, unit)
        query = time_point_or_none(query_time, known, "query_time")
        found = explainer.explain(question, time_point(at, known, "at"), query_time=query, depth=depth)
        return found.required(holds=True)

    def why_not(
        self,
        question: str,
        at: TimeInput,
        *,
        events: EventsInput,
        window: DurationInput | None = None,
        step: DurationInput | None = None,
        start: TimeInput | None = None,
        end: TimeInput | None = None,
        background: Background | None = None,
        mapping: MappingInput = None,
        unit: str | None = None,
        query_time: TimeInput | None = None,
        depth: int | None = DEPTH,
    ) -> Explanation:
        """Explain why a situation does not hold at a time-point; raises HoldsforError if it does."""
        explainer, known = self._explainer(events, (window, step, start, end), background, mapping, unit)
        query = time_point_or_none(query_time, known, "query_time")
        found = explainer.explain(question, time_point(at, known, "at"), query_time=query, depth=depth)
        return found.required(holds=False)

    def _explainer(
        self,
        events: EventsInput,
        span: Span,
        background: Background | None,
        mapping: MappingInput,
        unit: str | None,
    ) -> tuple[Explainer, str | None]:
        """An explainer for input that has been read, and the time unit of that input."""
        from holdsfor.recognition import plan_windows

        plan = self._plan_with(background, None)
        reading = read_input(plan, events, mapping, unit)
        windows = plan_windows(reading.stream, *span_in_points(span, reading.unit), scale=reading.time_scale)
        return _explainer(plan, reading, windows, events, mapping), reading.unit

    def session(
        self,
        window: DurationInput | None = None,
        start: TimeInput | None = None,
        background: Background | None = None,
        *,
        unit: str | None = None,
        changes: bool = True,
        max_delayed_effects: int | None = None,
        clock_tick: DurationInput | None = None,
        forget: DurationInput | None = None,
        threads: int | None = None,
    ) -> Session:
        """A live session: events are pushed and retracted, and answers and changes are read in between.

        Only the last `window` time-points can change; without a window, all can. Events up to `start` do not count.
        With `changes`, the session keeps what `session.changes()` needs. `unit`, `threads`, `forget` and `max_delayed_effects` are
        as in `recognise`.

        >>> rules = "initiatedAt(open(D)=true, T) :- happensAt(unlock(D), T)."
        >>> session = loads(rules).session()
        >>> session.push_one("unlock", 3, "front")
        >>> session.query()
        1 interval at 1 query time
        query_time  fluent       value  start  end
                 3  open(front)  true       4  inf
        """
        from holdsfor.session import open_session

        plan = self._plan_with(background, max_delayed_effects, clock_tick, unit, forget)
        return open_session(plan, window, start, changes=changes, unit=unit, threads=threads)

    def graph(self, granularity: Granularity = "pairs", *, inputs: bool = False) -> ProgramGraph:
        """The dependency graph, for notebooks and files: of fluent-value `pairs`, of `fluents` or of `components`.

        With `inputs`, input events are nodes too.

        >>> loads("initiatedAt(on=true, T) :- happensAt(press, T).").graph().mermaid().splitlines()[0]
        'flowchart LR'
        """
        from holdsfor.viz.program_graph import ProgramGraph
        from holdsfor.viz.view import dependency_view

        self.require_no_errors()
        return ProgramGraph(dependency_view(self.analysis, granularity, inputs=inputs))

    def require_no_errors(self) -> None:
        """Raise ProgramError if there is an error among the findings."""
        errors = errors_of(self.diagnostics)
        if errors:
            raise ProgramError(errors)


def read_input(
    plan: Plan,
    events: EventsInput,
    mapping: MappingInput,
    unit: str | None,
    rejects: Rejects | None = None,
    max_ahead: DurationInput | None = None,
) -> Reading:
    """Read events, and report rows that cannot be used."""
    from holdsfor.io.format_detection import require_described
    from holdsfor.io.given import as_paths, report_unread_tables, warn_of_unread
    from holdsfor.recognition import read_events

    if isinstance(events, Mapping):
        report_unread_tables(events, plan)
    reading = read_events(plan, events, mapping, unit, rejects, max_ahead=max_ahead)
    if mapping is None and not isinstance(events, Mapping):
        read = reading.rows - sum(reading.unknown.values()) - reading.rejects.count
        require_described(as_paths(events, plan), read=read, names=list(reading.unknown))
    warn_of_unread(reading)
    return reading


def recognised(
    plan: Plan,
    reading: Reading,
    span: Span,
    *,
    threads: int | None = None,
    events: EventsInput,
    mapping: MappingInput = None,
) -> Result:
    """The result of a program over a reading; `events` and `mapping` say where its rows come from."""
    from holdsfor.columns.report import Texts
    from holdsfor.recognition import Recognition, checked_windows
    from holdsfor.result import Result

    windows, note = checked_windows(reading, *span_in_points(span, reading.unit), tick=plan.clock_tick)
    if note is not None:
        warn_caller(note)
    recognition = Recognition(plan, reading, windows, threads=threads)
    explainer = partial(_explainer, plan, reading, windows, events, mapping)
    answers = list(recognition)
    return Result(
        answers,
        Texts(reading.dictionary),
        recognition.summary,
        windows,
        explainer,
        time_scale=reading.time_scale,
        program=plan.analysis.written,
    )


def _explainer(
    plan: Plan,
    reading: Reading,
    windows: WindowPlan | None,
    events: EventsInput,
    mapping: MappingInput,
) -> Explainer:
    """An explainer for input that has been read. It is created on demand, because most runs need no explanations."""
    from holdsfor.explain.asking import Explainer
    from holdsfor.explain.sources import Sources

    sources = Sources(events, mapping, reading.unit or "s")
    return Explainer(plan, reading.stream, reading.dictionary, windows, sources=sources, time_scale=reading.time_scale)


def read_source(path: str | Path) -> Source:
    """A rule file as a source, `-` for standard input. An unreadable file raises a HoldsforError with the reason."""
    if not isinstance(path, str | Path):
        kind = "None" if path is None else f"an object of type {type(path).__name__}"
        raise HoldsforError(f"rules are read from files, and {kind} is not the name of one")
    if str(path) == "-":
        return Source("<stdin>", sys.stdin.read())
    try:
        return Source(str(path), Path(path).read_text(encoding="utf-8-sig"))
    except UnicodeDecodeError as problem:
        raise HoldsforError(f"{path} is not a UTF-8 text file (byte {problem.start})") from problem
    except OSError as problem:
        if _is_rule_text(str(path)):
            raise HoldsforError(
                f"{str(path).strip().splitlines()[0]!r} is not a file; it looks like rules: holdsfor.loads takes them as text"
            ) from problem
        raise HoldsforError(f"cannot read {path}: {problem.strerror or problem}") from problem


def _is_rule_text(name: str) -> bool:
    """Whether text given as a file name is the text of rules instead."""
    return ":-" in name or "\n" in name or name.rstrip().endswith(").")


def background_program(background: Background | None) -> Program:
    """Background knowledge as a program."""
    if background is None:
        return Program(())
    if isinstance(background, Mapping):
        from holdsfor.facts import facts_of

        return facts_of(background)
    paths = [background] if isinstance(background, str | Path) else list(background)
    tables = [table for path in paths if (table := named_table(path)) is not None]
    program = parse_program((read_source(path) for path in paths if named_table(path) is None), read_source)
    return program + _table_facts(tables, None) if tables else program


def _table_facts(tables: Iterable[tuple[str, str]], rejects: Rejects | None) -> Program:
    """Facts from files with tables; a row that cannot be read is an error unless there is a place for it."""
    from holdsfor.facts import facts_of_files
    from holdsfor.io.rejects import Rejects

    return facts_of_files(tables, Rejects(strict=True) if rejects is None else rejects)


def from_files(paths: Iterable[str | Path], rejects: Rejects | None = None) -> Reasoner:
    """Check files as one program: rules (`-` is standard input), and tables of facts (`tier=customers.csv`, `tier.csv`)."""
    listed = list(paths)
    tables = [table for path in listed if (table := named_table(path)) is not None]
    sources = [read_source(path) for path in listed if named_table(path) is None]
    if not tables:
        return from_sources(sources)
    facts = _table_facts(tables, rejects)
    with no_garbage_collection():
        return from_program(parse_sources(sources) + facts)


def from_program(program: Program) -> Reasoner:
    """Check a program that was built in Python."""
    analysis, found = check(program)
    return Reasoner(analysis, tuple(found))


def from_sources(sources: Iterable[Source], read: ReadFile = read_source) -> Reasoner:
    """Check rule texts as one program, without raising for mistakes in them; `read` reads the files that they load."""
    with no_garbage_collection():
        return from_program(parse_sources(sources, read))


def parse_sources(sources: Iterable[Source], read: ReadFile = read_source) -> Program:
    """Rule texts as one program; those of files whose names end in `.dmtl` are metric rules."""
    listed = list(sources)
    metric = [source for source in listed if source.name.endswith(METRIC_FILES)]
    program = parse_program((source for source in listed if source not in metric), read)
    if not metric:
        return program
    # Imported here: most programs have no metric rules.
    from holdsfor.frontend.dmtl import parse_metric

    return replace(program, metric=parse_metric(metric))


def loads(text: str, name: str = "<rules>", *, background: Background | None = None) -> Reasoner:
    """Load rules from a string.

    >>> loads("initiatedAt(on=true, T) :- happensAt(press, T).").plan.outputs[0].name
    'on'
    """
    require_text(text, "loads")
    if _RULE_FILE.fullmatch(text.strip()):
        raise HoldsforError(f"{text!r} is the name of a file; holdsfor.load takes files, loads the text of rules")
    return _checked([Source(name, text)], background)


def load(*paths: str | Path, background: Background | None = None) -> Reasoner | Any:
    """Load rule and background files as one program; raises ProgramError with all diagnostics.

    `background` is more files, or tables of facts by predicate name: `{"areaType": [("bay", "fishing")]}`. If all files
    end in `.dmtl`, they are a metric program, and the result is a `MetricReasoner`, which type checkers do not see.
    """
    if paths and background is None and all(str(path).endswith(METRIC_FILES) for path in paths):
        from holdsfor.metric.reasoner import from_metric_sources

        metric = from_metric_sources([read_source(path) for path in paths])
        metric.require_no_errors()
        return metric
    return _checked([read_source(path) for path in paths], background)


def _checked(sources: Iterable[Source], background: Background | None) -> Reasoner:
    with no_garbage_collection():
        reasoner = from_program(parse_sources(sources) + background_program(background))
    reasoner.require_no_errors()
    return reasoner
