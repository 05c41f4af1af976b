"""The stages of a distributed run: which strata run together, by which keys, and what is brought to them.

Plain data made from a plan; nothing here knows Spark.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, product
from typing import TYPE_CHECKING

from holdsfor.compiler.analysis.alignment import Places, Spreading
from holdsfor.compiler.analysis.entities import EntityKind, Role, Symbol
from holdsfor.compiler.plan import Plan, Stratum, once_per_plan
from holdsfor.ir import Effect, EffectKind
from holdsfor.spreading.alignment import Option, options, rule_shapes
from holdsfor.spreading.exchange import Exchanges, Match

if TYPE_CHECKING:
    from holdsfor.spreading.ties import Link

_World = dict[Symbol, Spreading | None]
"""How every symbol of a stage is spread; None if every bucket has all of it."""
_MOST_WORLDS = 64


@dataclass(frozen=True)
class Delivery:
    """An input of a stage. Rows go to the bucket of each key in `spreading`; None brings all of them to every bucket.

    `made_in` is the stage that computes it, if one does; the stream may bring it as well (`is_input`). `effects` are the
    points of the fluent that rules ask for with `initiatedAt` and `terminatedAt`. Of rows that would go to every bucket,
    `matches` says which ones need them, if it is known: sessions with metric rules go by that.
    """

    symbol: Symbol
    spreading: Spreading | None
    made_in: int | None
    is_input: bool
    effects: tuple[EffectKind, ...] = ()
    matches: tuple[Match, ...] = ()
    lines: tuple[tuple[int, tuple[int, ...]], ...] = ()
    """Of rows that are read by a part of the key: columns, and the parts of keys that have their values."""


@dataclass(frozen=True)
class Stage:
    """Strata that run in one pass over the buckets."""

    number: int
    strata: tuple[Stratum, ...]
    members: tuple[tuple[Symbol, Places], ...]
    deliveries: tuple[Delivery, ...]
    links: tuple[Link, ...] = ()
    """What ties keys together, so that connected components of them share a bucket."""
    sides: tuple[int, ...] = ()
    """Those of the grid of buckets; none if keys are spread as a whole. See `holdsfor.physical.buckets`."""
    why: str = ""
    """Why it has one bucket, if it is a stage of the physical plan."""

    @property
    def is_single(self) -> bool:
        """Whether one bucket does all the work."""
        return not any(places for _, places in self.members)


@dataclass(frozen=True)
class StagePlan:
    """All stages, in order."""

    plan: Plan
    stages: tuple[Stage, ...]
    in_one_place: str = ""
    """Why all work is in one place, if it is."""
    is_physical: bool = False
    """Whether they are the stages of the physical plan, which the core runs."""

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """What should be said about the stages."""
        return (self.in_one_place,) if self.in_one_place else tuple(_warnings(self.stages, self.plan))

    def consumers(self, symbol: Symbol, after: int) -> Iterator[tuple[Stage, Delivery]]:
        """The later stages that a symbol is brought to."""
        for stage in self.stages[after:]:
            for delivery in stage.deliveries:
                if delivery.symbol == symbol and delivery.made_in is not None and delivery.made_in < stage.number:
                    yield stage, delivery


@dataclass
class _Draft:
    strata: list[Stratum] = field(default_factory=list)
    worlds: list[_World] = field(default_factory=lambda: [{}])
    links: tuple[Link, ...] = ()


@once_per_plan
def stage_plan(plan: Plan, *, tied: bool = True) -> StagePlan:
    """The stages of a plan. Unless `tied`, no connected components are looked for: in a stream they are never known."""
    if plan.domain_readers:
        named = ", ".join(map(str, plan.domain_readers))
        return _in_one_place(
            plan, f"{named}: a dynamicDomain has values from records of all keys: all work is in one place"
        )
    drafts = _drafts(plan, tied=tied)
    if drafts is None:
        return _in_one_place(plan, "delayed effects tie fluents together that share no key: all work is in one place")
    home = {symbol: number for number, d in enumerate(drafts, 1) for stratum in d.strata for symbol in stratum.members}
    stages = tuple(_stage(number, draft, plan, home) for number, draft in enumerate(drafts, 1))
    return StagePlan(plan, stages)


@dataclass(frozen=True)
class _Placement:
    """A stage for a stratum: its number, the worlds that are left, and what ties its keys together."""

    number: int
    worlds: list[_World]
    links: tuple[Link, ...] = ()


def _drafts(plan: Plan, *, tied: bool) -> list[_Draft] | None:
    """Strata put into stages, each into the first that will have it; None if delayed effects would leave a stage."""
    drafts: list[_Draft] = []
    home: dict[Symbol, int] = {}
    for stratum in plan.strata:
        place = next(_placements(stratum, plan, drafts, home, tied=tied), None)
        if place is None:
            return None
        if place.number == len(drafts):
            drafts.append(_Draft(links=place.links))
        drafts[place.number].strata.append(stratum)
        drafts[place.number].worlds = place.worlds
        home |= dict.fromkeys(stratum.members, place.number)
    return drafts


def _placements(
    stratum: Stratum, plan: Plan, drafts: list[_Draft], home: dict[Symbol, int], *, tied: bool
) -> Iterator[_Placement]:
    """Where a stratum can go. The best way to spread it counts most, then joining a stage there is."""
    *spread, single = options(stratum, plan)
    fewest = len(spread[0].replicated) if spread else 0
    best = [option for option in spread if len(option.replicated) == fewest]
    for group in (best, [option for option in spread if len(option.replicated) != fewest]):
        yield from _joining(group, drafts, home)
    if tied:
        # Imported here: only runs on Spark look for what ties keys together in facts and input.
        from holdsfor.spreading.ties import tied_option

        option = tied_option(stratum, rule_shapes(stratum, plan), plan)
        if option is not None and _is_ready(option[0], len(drafts), home):
            yield _Placement(len(drafts), _merged([{}], option[0]), option[1])
    yield from _joining([single], drafts, home)


def _joining(group: Sequence[Option], drafts: list[_Draft], home: dict[Symbol, int]) -> Iterator[_Placement]:
    for number in range(len(drafts) + 1):
        is_new = number == len(drafts)
        if not is_new and drafts[number].links:
            continue
        for option in group:
            if _is_ready(option, number, home):
                worlds = _merged([{}] if is_new else drafts[number].worlds, option)
                if worlds:
                    yield _Placement(number, worlds)


def _is_ready(option: Option, number: int, home: dict[Symbol, int]) -> bool:
    """Whether all inputs are there in time: what is made in the same stage must be aligned."""
    aligned = all(home.get(symbol, 0) <= number for symbol in option.aligned)
    replicated = all(home.get(symbol, -1) < number for symbol in option.replicated)
    # A trigger that comes later in the plan has delayed effects that can never take place.
    return aligned and replicated and all(home.get(symbol, number) == number for symbol in option.together)


def _merged(worlds: Iterable[_World], option: Option) -> list[_World]:
    """The ways to spread everything that a stage touches once a stratum has joined it."""
    members: _World = {symbol: (places,) for symbol, places in option.members.items()}
    fixed = members | dict.fromkeys(option.replicated)
    found: list[_World] = []
    for world in worlds:
        if any(symbol in world and world[symbol] != spread for symbol, spread in fixed.items()):
            continue
        choices = [
            [found for found in allowed if symbol not in world or world[symbol] == found]
            for symbol, allowed in option.aligned.items()
        ]
        for choice in islice(product(*choices), _MOST_WORLDS):
            found.append({**world, **fixed, **dict(zip(option.aligned, choice, strict=True))})
    return found[:_MOST_WORLDS]


def _stage(number: int, draft: _Draft, plan: Plan, home: dict[Symbol, int]) -> Stage:
    world = draft.worlds[0]
    members = tuple((symbol, (world[symbol] or ((),))[0]) for stratum in draft.strata for symbol in stratum.members)
    effects = effects_asked(draft.strata)
    exchanges: Exchanges | None = None
    read = dict.fromkeys(symbol for stratum in draft.strata for symbol in read_by(stratum, plan))
    deliveries = []
    for symbol in read:
        made_in = home.get(symbol)
        is_input = symbol.kind is EntityKind.EVENT or plan.analysis.entities[symbol].role is Role.INPUT_FLUENT
        if is_input or made_in != number:
            kinds = tuple(sorted(effects.get(symbol, ()))) if made_in != number else ()
            matches: tuple[Match, ...] = ()
            if world[symbol] is None and not draft.links:
                exchanges = exchanges or Exchanges(draft.strata, dict(members), home, plan)
                matches = exchanges.of(symbol)
            deliveries.append(Delivery(symbol, world[symbol], made_in, is_input, kinds, matches))
    return Stage(number, tuple(draft.strata), members, tuple(deliveries), draft.links)


def read_by(stratum: Stratum, plan: Plan) -> Iterator[Symbol]:
    """Everything that the rules of a stratum read, its own members included."""
    if stratum.metric is not None:
        yield from stratum.inputs
    yield from sorted(plan.filling)
    for condition in stratum.conditions:
        yield condition.symbol


def effects_asked(strata: Iterable[Stratum]) -> dict[Symbol, set[EffectKind]]:
    """The initiations and terminations that rules ask about."""
    found: dict[Symbol, set[EffectKind]] = {}
    for stratum in strata:
        for condition in stratum.conditions:
            if isinstance(condition.literal, Effect):
                found.setdefault(condition.symbol, set()).add(condition.literal.kind)
    return found


def _in_one_place(plan: Plan, why: str) -> StagePlan:
    """Everything in one bucket."""
    world: _World = {}
    for stratum in plan.strata:
        world |= dict.fromkeys((*stratum.members, *read_by(stratum, plan)), ((),))
    draft = _Draft(list(plan.strata), [world])
    home = {symbol: 1 for stratum in plan.strata for symbol in stratum.members}
    stage = _stage(1, draft, plan, home)
    return StagePlan(plan, (stage,), why)


def _warnings(stages: Iterable[Stage], plan: Plan) -> Iterator[str]:
    from holdsfor.spreading.ties import tying_rules

    for stage in stages:
        places = dict(stage.members)
        if stage.is_single and stage.why:
            yield f"{', '.join(map(str, places))}: one worker does all the work, because {stage.why}"
        if stage.links and stage.why:
            sources = ", ".join(dict.fromkeys(map(str, stage.links)))
            named = ", ".join(map(str, places))
            yield f"{named}: {stage.why}; all that occur together in {sources} share a bucket"
        for stratum in stage.strata:
            names = ", ".join(str(symbol) for symbol in stratum.members)
            if stage.links:
                rules = ", ".join(tying_rules(places, rule_shapes(stratum, plan)))
                sources = ", ".join(dict.fromkeys(map(str, stage.links)))
                yield f"{names}: the rules at {rules} tie keys together; all that occur together in {sources} share a bucket"
            elif not places[stratum.members[0]]:
                yield f"{names}: one worker does all the work, for {stratum.key.reason}{_tying(stratum, plan)}"


def _tying(stratum: Stratum, plan: Plan) -> str:
    """The rules that keep a stratum in one place, if there are any to name."""
    if not all(_arity(symbol) for symbol in stratum.members):
        return ""
    from holdsfor.spreading.ties import tying_rules

    rules = tying_rules(dict.fromkeys(stratum.members, (0,)), rule_shapes(stratum, plan))
    return f" (rules at {', '.join(rules)})" if rules else ""


def _arity(symbol: Symbol) -> int:
    return symbol.arity - len(symbol.inner) + sum(arity for _, _, arity in symbol.inner)
