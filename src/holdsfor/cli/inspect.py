"""`check`, `fmt`, `graph`, `plan` and `codes`: look at rules without running them."""

from __future__ import annotations

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from holdsfor.cli.common import (
    fail,
    findings_json,
    friendly_errors,
    is_metric,
    load_files,
    show_findings,
    write_output,
)
from holdsfor.codes import all_codes, page
from holdsfor.diagnostics import Diagnostic, HoldsforError, Severity, in_reading_order
from holdsfor.frontend.dmtl import format_metric
from holdsfor.frontend.rtec import format_source
from holdsfor.loading import Reasoner, read_source

if TYPE_CHECKING:
    from holdsfor.viz.graph import GraphView

Files = Annotated[
    list[Path],
    typer.Argument(
        help="Rule and background files; together they are one program. - is standard input.", metavar="FILE…"
    ),
]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Write here instead of to the terminal.")]


class GraphFormat(StrEnum):
    """Formats of a dependency graph."""

    MERMAID = "mermaid"
    DOT = "dot"
    SVG = "svg"


class Granularity(StrEnum):
    """The granularity of a dependency graph."""

    PAIRS = "pairs"
    FLUENTS = "fluents"
    COMPONENTS = "components"


def check(
    files: Files,
    events: Annotated[
        list[Path], typer.Option(help="Event files; reports input that the rules read and no file has.")
    ] = [],  # noqa: B006
    mapping: Annotated[
        Path | None, typer.Option(help="With --events: which columns of a table are which event, as a TOML file.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print diagnostics as JSON.")] = False,
    strict: Annotated[bool, typer.Option(help="Treat warnings as errors.")] = False,
    streaming: Annotated[
        bool, typer.Option("--streaming", help="Reject what cannot run on a stream: .dmtl rules that look ahead.")
    ] = False,
    delay: Annotated[
        str | None,
        typer.Option(help="With --streaming: allowed delay of answers; inf for any."),
    ] = None,
) -> None:
    """Check rules: errors, warnings and notes, each with its position and a cure."""
    with friendly_errors():
        findings, clauses = _findings(files, events, mapping, streaming=streaming, delay=delay)
        if as_json:
            typer.echo(findings_json(findings))
        else:
            show_findings(findings)
            typer.secho(_summary(findings, clauses), bold=True)
        failing = {Severity.ERROR, Severity.WARNING} if strict else {Severity.ERROR}
        if any(finding.severity in failing for finding in findings):
            raise typer.Exit(1)


def _findings(
    files: list[Path], events: list[Path], mapping: Path | None, *, streaming: bool, delay: str | None
) -> tuple[list[Diagnostic], int]:
    """The findings of a program, and its number of clauses."""
    if is_metric(files):
        from holdsfor.cli.metric import load_metric_files, metric_findings

        if events:
            raise HoldsforError("--events cannot be used with a .dmtl program")
        metric = load_metric_files(files)
        clauses = len(metric.program.rules) + len(metric.program.facts)
        return metric_findings(metric, streaming=streaming, delay=delay), clauses
    reasoner = load_files(files)
    findings = in_reading_order([*reasoner.diagnostics, *_data_findings(reasoner, files, events, mapping)])
    written = reasoner.analysis.written
    return findings, len(written.rules) + len(written.metric.rules) + len(written.metric.facts)


def _data_findings(reasoner: Reasoner, files: list[Path], events: list[Path], mapping: Path | None) -> list[Diagnostic]:
    if not events:
        return []
    # Imported here: NumPy and Arrow would slow down every other command.
    from holdsfor.io.data_check import data_names
    from holdsfor.io.mapping import read_mapping

    described = None if mapping is None else read_mapping(mapping)
    return data_names(events, reasoner.analysis.entities, described, files).findings(reasoner.analysis)


def _summary(findings: list[Diagnostic], clauses: int) -> str:
    counts = [(sum(f.severity is severity for f in findings), severity) for severity in Severity]
    found = ", ".join(f"{count} {severity}{'' if count == 1 else 's'}" for count, severity in counts if count)
    return f"{clauses} clause{'' if clauses == 1 else 's'}, {found or 'no findings'}"


def fmt(
    files: Files,
    write: Annotated[bool, typer.Option("--write", "-w", help="Rewrite the files in place.")] = False,
    only_check: Annotated[bool, typer.Option("--check", help="Exit with status 1 if a file is not formatted.")] = False,
) -> None:
    """Format rule files: one condition to a line, comments kept."""
    with friendly_errors():
        unformatted = []
        for path in files:
            if write and str(path) == "-":
                raise HoldsforError("standard input cannot be rewritten in place; leave out --write")
            source = read_source(path)
            text = format_metric(source) if is_metric([path]) else format_source(source)
            if only_check:
                unformatted += [path] if text != source.text else []
            elif write:
                write_output(text, path) if text != source.text else None
            else:
                typer.echo(text, nl=False)
        for path in unformatted:
            typer.echo(f"would reformat {path}")
        if unformatted:
            raise typer.Exit(1)


def graph(
    files: Files,
    style: Annotated[
        GraphFormat | None, typer.Option("--format", "-f", help="Output format; mermaid, or what --output ends in.")
    ] = None,
    granularity: Annotated[
        Granularity,
        typer.Option(help="Draw fluent-value pairs, fluents, or components (.dmtl: predicates in any case)."),
    ] = Granularity.PAIRS,
    inputs: Annotated[bool, typer.Option("--inputs", help="Draw input events too.")] = False,
    output: Output = None,
) -> None:
    """Draw the dependency graph of a program."""
    from holdsfor.viz.graph import to_dot, to_mermaid, to_svg

    with friendly_errors():
        chosen = style or _graph_format(output)
        view = _view(files, granularity, inputs=inputs)
        render = {GraphFormat.MERMAID: to_mermaid, GraphFormat.DOT: to_dot, GraphFormat.SVG: to_svg}[chosen]
        write_output(render(view), output)


def _graph_format(output: Path | None) -> GraphFormat:
    """The format of a file name ending; Mermaid without an ending."""
    ending = "" if output is None else output.suffix.lower()
    formats = {".mmd": GraphFormat.MERMAID, ".dot": GraphFormat.DOT, ".gv": GraphFormat.DOT, ".svg": GraphFormat.SVG}
    if ending and ending not in formats:
        raise HoldsforError(f"{output}: no format ends in {ending}; files end in {', '.join(formats)}, or say --format")
    return formats.get(ending, GraphFormat.MERMAID)


def _view(files: list[Path], granularity: Granularity, *, inputs: bool) -> GraphView:
    from holdsfor.viz.graph import dependency_view, metric_view

    if is_metric(files):
        from holdsfor.cli.metric import load_metric_files

        metric = load_metric_files(files)
        metric.require_no_errors()
        return metric_view(metric.program)
    reasoner = load_files(files)
    reasoner.require_no_errors()
    return dependency_view(reasoner.analysis, granularity.value, inputs=inputs)


def plan(
    files: Files,
    as_json: Annotated[bool, typer.Option("--json", help="Print the plan as JSON.")] = False,
    spark: Annotated[bool, typer.Option("--spark", help="Show the stages of a run on Spark instead.")] = False,
    output: Output = None,
) -> None:
    """Show the plan: stages, keys, rules, and retention."""
    with friendly_errors():
        if spark:
            write_output(_shown_stages(files, as_json=as_json), output)
            return
        from holdsfor.physical import describe
        from holdsfor.physical.encode import from_bytes

        # The text is decoded from the bytes that the engine gets.
        found = from_bytes(_plan_bytes(files))
        text = _json(describe.plan_data(found)) if as_json else describe.plan_text(found)
        write_output(text, output)


def _shown_stages(files: list[Path], *, as_json: bool) -> str:
    if is_metric(files):
        from holdsfor.cli.spark_metric import shown_metric_stages

        return shown_metric_stages(files, as_json=as_json)
    from holdsfor.cli.spark import shown_stages

    return shown_stages(load_files(files).plan, as_json=as_json)


def _plan_bytes(files: list[Path]) -> bytes:
    """The plan of a run of all input at once."""
    if is_metric(files):
        from holdsfor.cli.metric import load_metric_files
        from holdsfor.core.metric_driver import encoded as encoded_metric
        from holdsfor.physical.metric_program import Arrival

        return encoded_metric(load_metric_files(files).plan, 1, Arrival.TOGETHER).data
    from holdsfor.core.program import encoded

    return encoded(load_files(files).plan).data


def _json(data: dict[str, Any]) -> str:
    return json.dumps(data, indent=2, ensure_ascii=False)


def codes(code: Annotated[str | None, typer.Argument(help="A diagnostic code such as HF201.")] = None) -> None:
    """Explain a diagnostic code; without one, list them all."""
    if code is None:
        for name, title in all_codes().items():
            typer.echo(f"{name}  {title}")
        return
    text = page(code.upper())
    if text is None:
        fail(f"there is no diagnostic {code}; `holdsfor codes` lists them")
    else:
        typer.echo(text, nl=False)
