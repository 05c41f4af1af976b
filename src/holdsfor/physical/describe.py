"""Describes a physical plan as text and as plain data, for `holdsfor plan`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from holdsfor.physical import instructions as code
from holdsfor.physical import model
from holdsfor.physical.certificate import bounds
from holdsfor.physical.encode import fingerprint
from holdsfor.physical.reads import walk
from holdsfor.physical.show import Lines, shape

_HEADS = {model.HeadKind.INITIATE: "initiates", model.HeadKind.TERMINATE: "terminates", model.HeadKind.HAPPEN: "gives"}


def plan_data(plan: model.PhysicalPlan) -> dict[str, Any]:
    """The plan as JSON-compatible data. Programs are lines of text. A distance without limit is None."""
    lines = Lines(plan)
    metric = _metric_facts(plan)
    return {
        "fingerprint": fingerprint(plan).hex(),
        **metric,
        "settle": _distance(plan.settle),
        "settle_why": plan.settle_why,
        "tables": [
            {
                "name": table.label,
                "kind": table.role.name.lower().replace("_", " "),
                "columns": table.columns,
                "look_back": _distance(table.keep),
                "look_back_why": table.keep_why,
                "recomputed": table.recomputed,
                "keeps": str(bound),
                "forgotten": table.forgotten,
                "hidden": table.is_hidden,
            }
            for table, bound in zip(plan.tables, bounds(plan), strict=True)
        ],
        "facts": [{"name": one.label, "rows": len(one.rows)} for one in plan.facts],
        "goals": [{"goal": one.label, "changes": one.changes} for one in plan.goals],
        "stages": [_stage_data(stage, plan, lines) for stage in plan.stages],
        "initially": [_condition_data(one, lines) for one in plan.initially],
        "postponed": [_condition_data(one, lines) for one in plan.postpones],
        "groundings": [_condition_data(one, lines) for one in plan.groundings],
        "max_delayed_effects": plan.max_delayed_effects,
    }


def _metric_facts(plan: model.PhysicalPlan) -> dict[str, Any]:
    """The properties of a metric program as a whole: numbers are text, because they are rational."""
    components = [
        component.metric
        for stage in plan.stages
        for component in stage.components
        if component.metric is not None and component.metric.is_rational
    ]
    if not components:
        return {}
    from holdsfor.physical.metric_certificate import granularity, looks_ahead, reach

    lengths = [length for one in components if (length := granularity(one)) is not None]
    return {
        "reach": str(max(map(reach, components))),
        "granularity": str(min(lengths)) if lengths else None,
        "looks_ahead": any(map(looks_ahead, components)),
    }


def _stage_data(stage: model.Stage, plan: model.PhysicalPlan, lines: Lines) -> dict[str, Any]:
    names = [table.label for table in plan.tables]
    return {
        "key": stage.key,
        "why": stage.why.split("; ") if stage.why else [],
        "tied": list(_ties(stage, names)) if stage.is_tied else None,
        "results": {names[one.table]: list(one.places[0]) for one in stage.members},
        "input": {names[one.table]: None if one.is_shared else list(map(list, one.places)) for one in stage.inputs},
        "parts": {names[one.table]: list(map(list, one.parts)) for one in stage.inputs if one.parts},
        "components": [_component_data(one, names, lines) for one in stage.components],
    }


def _ties(stage: model.Stage, names: list[str]) -> Iterator[str]:
    """Describes what ties the keys of a stage."""
    for one in stage.inputs:
        if len(one.places) > 1:
            yield f"{names[one.table]}, columns {_and(place + 1 for (place,) in one.places)}"
    for tie in stage.fact_ties:
        yield f"facts {tie.label}, columns {_and(place + 1 for place in tie.columns)}"


def _and(numbers: Iterable[int]) -> str:
    *first, last = map(str, numbers)
    return f"{', '.join(first)} and {last}" if first else last


def _component_data(component: model.Component, names: list[str], lines: Lines) -> dict[str, Any]:
    rules = [
        {
            "at": str(rule.origin),
            "head": f"{_HEADS[rule.kind]} {lines.row(rule.table, rule.columns, rule.value)}",
            "runs_for": [names[driver] for driver in rule.drivers],
            "program": list(lines.rule(rule)),
        }
        for rule in component.rules
    ]
    definitions = [
        {
            "at": str(one.origin),
            "head": f"l{one.out} is the list of {lines.row(one.table, one.columns, one.value)}",
            "program": list(lines.block(one.program.block)),
        }
        for one in component.definitions
    ]
    delays = [
        {
            "at": str(one.origin),
            "head": _delay_text(one, lines),
            "program": list(lines.block(one.program.block)),
        }
        for one in component.delays
    ]
    groups = [{"rules": [rule + 1 for rule in one.rules], "repeats": one.repeats} for one in component.groups]
    metric: list[dict[str, Any]] = []
    kept: list[str] = []
    if component.metric is not None:
        from holdsfor.physical.show_metric import metric_rules, stream_keeps

        metric = metric_rules(component.metric)
        kept = list(stream_keeps(component.metric)) if component.metric.is_rational else []
    return {
        "tables": [names[table] for table in component.tables],
        "traits": list(_traits(component)),
        "groups": groups,
        "rules": rules,
        "lists": definitions,
        "delays": delays,
        "metric": metric,
        "keeps_on_a_stream": kept,
    }


def _delay_text(one: model.Delay, lines: Lines) -> str:
    trigger = lines.row(one.table, one.columns, one.value)
    effect = "ends" if one.effect is None else f"becomes {lines.row(*one.effect)}"
    return f"{trigger} {effect} after {shape(one.delay)}"


def _condition_data(one: model.PairProgram, lines: Lines) -> dict[str, Any]:
    pair = lines.row(one.table, one.columns, one.value)
    return {"at": str(one.origin), "pair": pair, "program": list(lines.block(one.program.block))}


def _traits(component: model.Component) -> Iterator[str]:
    if component.metric is not None:
        from holdsfor.physical.show_metric import recursion

        yield "metric rules"
        yield from recursion(component.metric)
    elif component.is_static:
        yield "interval lists"
    elif len(component.tables) > 1 or any(group.repeats for group in component.groups):
        yield "cycle"
    if component.delays:
        yield "delayed effects"
    programs = (rule.program for rule in component.rules)
    if any(isinstance(one, code.Collect) and one.aggregate >= 0 for some in programs for one in walk(some.block)):
        yield "aggregates"


def _distance(points: int) -> int | None:
    return None if points == model.FOREVER else points


def plan_text(plan: model.PhysicalPlan) -> str:
    """The plan as text."""
    return "\n".join(_lines(plan_data(plan)))


def _lines(data: dict[str, Any]) -> Iterator[str]:
    is_metric = "reach" in data
    yield from _metric_lines(data) if is_metric else (f"results are final {_settling(data)}",)
    yield ""
    yield "tables" if is_metric else "tables: what a key keeps of them behind the border of a window"
    width = max((len(table["name"]) for table in data["tables"]), default=0)
    for table in data["tables"]:
        if is_metric:
            yield f"  {table['name']:<{width}}  {table['kind']}"
            continue
        is_again = table["recomputed"] and table["keeps"] == "nothing"
        keeps = "nothing; computed again from whole lists" if is_again else table["keeps"]
        forgotten = f", {table['forgotten']}" if table["forgotten"] else ""
        yield f"  {table['name']:<{width}}  {table['kind']:<13}  {keeps}{forgotten}"
    for one in data["facts"]:
        count = one["rows"]
        yield f"  {one['name']:<{width}}  facts          {count} {'row' if count == 1 else 'rows'}"
    for number, stage in enumerate(data["stages"], 1):
        yield ""
        yield from _stage_lines(number, stage)
    for name in ("initially", "postponed", "groundings"):
        for one in data[name]:
            yield ""
            yield f"{name} {one['pair']}  {one['at']}"
            yield from (f"  {line}" for line in one["program"])


def _metric_lines(data: dict[str, Any]) -> Iterator[str]:
    yield f"t_Π = {data['reach']}, the largest distance in the rules"
    shortest = data["granularity"]
    yield "no interval has an end" if shortest is None else f"the shortest interval has length {shortest}"
    if data["looks_ahead"]:
        yield "rules look ahead: a stream needs a delay; `holdsfor check --streaming` reports these rules"
    else:
        yield "no rule looks ahead: on a stream, answers are final at once"


def _settling(data: dict[str, Any]) -> str:
    if data["settle"] is None:
        return f"never: {data['settle_why']}"
    if not data["settle"]:
        return "up to the border of a window"
    return f"up to {data['settle']} time-points before the border of a window: {data['settle_why']}"


def _stage_lines(number: int, stage: dict[str, Any]) -> Iterator[str]:
    key = f"key of {stage['key']} column{'' if stage['key'] == 1 else 's'}" if stage["key"] else "one key for all"
    yield f"stage {number}: {key}{'' if stage['tied'] is None else ', tied'}"
    yield from (f"  because {why}" for why in stage["why"])
    yield from (f"  keys tied by {tie}" for tie in stage["tied"] or ())
    for name, places in stage["input"].items():
        yield f"  input {name}{_places(places, stage['key'], stage['parts'].get(name))}"
    for component in stage["components"]:
        traits = f"  ({', '.join(component['traits'])})" if component["traits"] else ""
        yield f"  component {', '.join(component['tables'])}{traits}"
        names = [name for name in component["tables"] if stage["results"][name]]
        for name in names:
            yield f"    {name}{_places([stage['results'][name]], stage['key'])}"
        if "cycle" in component["traits"]:
            order = "; ".join(_group(one) for one in component["groups"] if one["rules"])
            yield f"    order {order}"
        parts = (*component["rules"], *component["lists"], *component["delays"], *component["metric"])
        for position, one in enumerate(parts, 1):
            yield f"    {position}. {one['head']}  {one['at']}".rstrip()
            yield from (f"         {line}" for line in one["program"])
        if component["keeps_on_a_stream"]:
            yield "    keeps on a stream, for each instance"
            yield from (f"      {line}" for line in component["keeps_on_a_stream"])


def _group(group: dict[str, Any]) -> str:
    rules = ", ".join(map(str, group["rules"]))
    return f"{rules} until nothing changes" if group["repeats"] else rules


def _places(places: list[list[int]] | None, key: int, parts: list[list[int]] | None = None) -> str:
    if places is None:
        return " to all keys"
    if not key:
        return ""
    columns = [f"column {', '.join(str(place + 1) for place in one)}" for one in places]
    if parts is not None:
        wanted = [" or ".join(str(part + 1) for part in some) for some in parts]
        columns = [f"{column} to keys with it at {part}" for column, part in zip(columns, wanted, strict=True)]
    return " by " + " and by ".join(columns)
