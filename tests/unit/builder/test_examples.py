"""Examples of the project, built in Python: the programs are equal to those read from text."""

# ruff: noqa: N806 -- variables of rules start with a capital letter

from __future__ import annotations

from holdsfor.frontend.builder import (
    Rules,
    Situation,
    end,
    event,
    fact,
    find_all,
    fluent,
    let,
    lib,
    named,
    seq,
    start,
    var,
    variables,
)
from tests.unit.builder.reading import assert_says, read_example


def test_netbill() -> None:
    rules = Rules()
    M, C, G, Agent, Offender = variables("Merchant Consumer Goods Agent Offender")
    some_goods, some_price = variables("_Goods _Price")
    present, accept = event("present_quote"), event("accept_quote")
    quote, permission = fluent("quote"), fluent("permission")
    contract, suspended = fluent("contract"), fluent("suspended")

    rules.initiate(quote(M, C, G)).when(present(M, C, G, some_price))
    rules.initiate(quote(M, C, G) == False).when(accept(C, M, G))  # noqa: E712
    rules.after(10, quote(M, C, G), becomes="expiring")
    rules.after(5, quote(M, C, G) == "expiring", becomes=False)

    rules.initiate(permission(M, C)).when(event("request_quote")(C, M, some_goods))
    rules.initiate(permission(M, C) == "false").when(present(M, C, some_goods, some_price), permission(M, C))
    rules.after(4, permission(M, C) == "false", becomes=True)

    for value in ("true", "expiring"):
        rules.initiate(contract(M, C, G)).when(
            accept(C, M, G), quote(M, C, G) == value, ~suspended(M), ~(suspended(C) == "true")
        )
    rules.initiate(contract(M, C, G) == "false").when(event("settle")(M, C, G))
    rules.after(12, contract(M, C, G), becomes=contract(M, C, G) == "false")

    rules.initiate(suspended(M)).when(present(M, C, some_goods, some_price), ~permission(M, C))
    rules.initiate(suspended(Offender)).when(event("report_breach")(Offender, M, C, G), contract(M, C, G))
    rules.after(9, suspended(Agent), becomes="false")

    assert rules.program() == read_example("netbill/rules.prolog")


def test_renewed_quotes() -> None:
    rules = Rules()
    M, C, G = variables("Merchant Consumer Goods")
    quote = fluent("quote", "merchant", "consumer", "goods")

    rules.initiate(quote(M, C, G)).when(event("present_quote")(M, C, G, var("_Price")))
    rules.initiate(quote(M, C, G) == "false").when(event("accept_quote")(C, M, G))
    rules.after(10, quote(M, C, G), becomes="expiring")
    rules.after(5, quote(M, C, G) == "expiring", becomes="false")
    rules.postpone(quote(*variables("_Merchant _Consumer _Goods")))

    assert rules.program() == read_example("netbill/prolonged_quotes.prolog")


def test_rendezvous() -> None:
    rules = Rules()
    One, Other = variables("One Other")
    low, stopped = fluent("lowSpeed"), fluent("stopped", values=["nearPorts", "farFromPorts"])

    def idle(vessel: object) -> Situation:
        return low(vessel) | (stopped(vessel) == "farFromPorts")

    rules.holds(fluent("rendezVous")(One, Other)).during(idle(One) & idle(Other) & fluent("proximity")(One, Other))

    assert_says(
        rules,
        """
        holdsFor(rendezVous(One, Other)=true, I) :-
            holdsFor(lowSpeed(One)=true, I1),
            holdsFor(stopped(One)=farFromPorts, I2),
            union_all([I1, I2], I3),
            holdsFor(lowSpeed(Other)=true, I4),
            holdsFor(stopped(Other)=farFromPorts, I5),
            union_all([I4, I5], I6),
            holdsFor(proximity(One, Other)=true, I7),
            intersect_all([I3, I6, I7], I).
        """,
    )


def test_loitering_with_names() -> None:
    rules = Rules()
    Vessel, Min = variables("Vessel MinDuration")
    within, low, stopped = fluent("withinArea"), fluent("lowSpeed"), fluent("stopped")
    Slow, AtSea, Coast, Anchorage = (named(name) for name in "Slow StoppedAtSea NearCoast OnAnchorage".split())
    Idle, Long = named("Idle"), named("LongOrShort")

    rules.holds(fluent("loitering")(Vessel)).during(
        let(Slow, low(Vessel)),
        let(AtSea, stopped(Vessel) == "farFromPorts"),
        let(Idle, Slow | AtSea),
        let(Coast, within(Vessel, "nearCoast")),
        let(Anchorage, within(Vessel, "anchorage")),
        let(Long, Idle - Coast - Anchorage),
        fact("threshold")("loiteringTime", Min),
        Long.longer_than(Min),
    )

    wanted = read_example("maritime_hierarchy/rules.prolog").intervals
    assert rules.program().rules == tuple(rule for rule in wanted if rule.fvp == rules.program().rules[0].fvp)


def test_fishing_trip() -> None:
    rules = Rules()
    Vessel, Type, Area = variables("Vessel AreaType Area")
    within, stopped, moored = fluent("withinArea"), fluent("stopped"), fluent("anchoredOrMoored")
    nets, fishing, returning = fluent("netsOut"), fluent("fishing"), fluent("returning")
    area_type = fact("areaType")

    rules.initiate(within(Vessel, Type)).when(event("entersArea")(Vessel, Area), area_type(Area, Type))
    rules.terminate(within(Vessel, Type)).when(event("leavesArea")(Vessel, Area), area_type(Area, Type))
    stop = event("stop_start")(Vessel)
    rules.initiate(stopped(Vessel) == "nearPorts").when(stop, within(Vessel, "nearPorts"))
    rules.initiate(stopped(Vessel) == "farFromPorts").when(stop, ~within(Vessel, "nearPorts"))
    rules.terminate(stopped(Vessel) == var("_Where")).when(event("stop_end")(Vessel))
    AtSea, Anchorage, Anchored, Moored = (named(name) for name in "StoppedAtSea OnAnchorage Anchored Moored".split())
    rules.holds(moored(Vessel)).during(
        let(AtSea, stopped(Vessel) == "farFromPorts"),
        let(Anchorage, within(Vessel, "anchorage")),
        let(Anchored, AtSea & Anchorage),
        let(Moored, stopped(Vessel) == "nearPorts"),
        Anchored | Moored,
    )
    rules.initiate(nets(Vessel)).when(event("nets_cast")(Vessel))
    rules.terminate(nets(Vessel)).when(event("nets_hauled")(Vessel))
    Out, Grounds = named("NetsOut"), named("OnGrounds")
    rules.holds(fishing(Vessel)).during(let(Out, nets(Vessel)), let(Grounds, within(Vessel, "fishing")), Out & Grounds)
    rules.initiate(returning(Vessel)).when(end(within(Vessel, "fishing")))
    rules.terminate(returning(Vessel)).when(start(moored(Vessel)))
    rules.terminate(returning(Vessel)).when(start(within(Vessel, "fishing")))
    Port, Fishing, Back = named("InPort"), named("Fishing"), named("Returning")
    parts = let(Port, moored(Vessel)), let(Fishing, fishing(Vessel)), let(Back, returning(Vessel))
    rules.holds(fluent("fishingTripStart")(Vessel)).during(
        parts[0], let(Grounds, within(Vessel, "fishing")), seq(Port, Grounds)
    )
    Until, From = named("UntilFishing"), named("FromFishing")
    rules.holds(fluent("fishingTrip")(Vessel)).during(*parts, let(Until, Port.then(Fishing)), Until.then(Back))
    rules.holds(fluent("fishingTripFromTheEnd")(Vessel)).during(*parts, let(From, Fishing.then(Back)), seq(Port, From))
    rules.facts(area_type, [("brest_port", "nearPorts"), ("camaret_roads", "anchorage"), ("north_bank", "fishing")])

    assert rules.program() == read_example("fishing_trip/rules.prolog")


def test_counting_votes() -> None:
    rules = Rules()
    Motion, Chair, For, Ayes, Against, Nays = variables("Motion Chair For Ayes Against Nays")
    AyeCount, NayCount = variables("AyeCount NayCount")
    voted, declare = fluent("voted"), event("declare")

    rules.initiate(fluent("obl")(declare(Chair, Motion, "carried"))).when(
        start(fluent("status")(Motion) == "voted"),
        fact("role_of")(Chair, "chair"),
        find_all(For, voted(For, Motion) == "aye", into=Ayes),
        find_all(Against, voted(Against, Motion) == "nay", into=Nays),
        lib.length(Ayes, AyeCount),
        lib.length(Nays, NayCount),
        AyeCount > NayCount,
    )

    assert rules.program().rules[0] in read_example("voting/rules.prolog").rules
