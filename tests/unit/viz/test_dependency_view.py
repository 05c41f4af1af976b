"""What the view of a dependency graph contains at each granularity."""

import pytest

from holdsfor import loads
from holdsfor.compiler.analysis.entities import Role
from holdsfor.viz.graph import GraphView, dependency_view, to_dot, to_mermaid, to_svg
from tests.unit.viz.programs import NETBILL, ROLES, view_of


def edges(view: GraphView) -> set[tuple[str, str, str, str]]:
    return {(view.node[e.source].label, view.node[e.target].label, e.kind, e.label) for e in view.edges}


def test_pairs_follow_the_paper_on_delayed_effects():
    view = view_of(NETBILL)
    assert {node.label: node.level for node in view.nodes} == {
        "quote=true": 1,
        "quote=expiring": 1,
        "quote=false": 1,
        "contract=true": 2,
        "suspended=true": 2,
        "suspended=false": 2,
    }
    assert edges(view) == {
        ("quote=true", "contract=true", "i", ""),
        ("suspended=true", "contract=true", "i", ""),
        ("contract=true", "suspended=true", "i", ""),
        ("quote=true", "quote=expiring", "f", "10"),
        ("quote=expiring", "quote=false", "f", "5"),
        ("suspended=true", "suspended=false", "f", "9"),
    }


def test_pairs_processed_together_share_a_box_and_only_cyclic_ones_are_marked():
    view = view_of(NETBILL)
    boxes = {tuple(view.node[node].label for node in box.nodes): box.cyclic for box in view.boxes}
    assert {frozenset(labels): cyclic for labels, cyclic in boxes.items()} == {
        frozenset({"quote=true", "quote=expiring", "quote=false"}): False,
        frozenset({"contract=true", "suspended=true", "suspended=false"}): True,
    }
    assert {(view.node[e.source].label, e.kind) for e in view.edges if e.cyclic} == {
        ("suspended=true", "i"),
        ("contract=true", "i"),
        ("suspended=true", "f"),
    }


def test_fluents_gather_the_delays_of_their_values():
    view = view_of(NETBILL, "fluents")
    assert edges(view) == {
        ("quote", "contract", "i", ""),
        ("suspended", "contract", "i", ""),
        ("contract", "suspended", "i", ""),
        ("quote", "quote", "f", "10, 5"),
        ("suspended", "suspended", "f", "9"),
    }
    assert [node.members for node in view.nodes if node.label == "suspended"] == [("suspended=true", "suspended=false")]


def test_components_are_the_fluents_that_are_processed_together():
    view = view_of(NETBILL, "components")
    together = next(node for node in view.nodes if len(node.members) > 1)
    assert set(together.members) == {"contract", "suspended"}
    assert together.component in view.cyclic
    assert [(e.source, e.target) for e in view.edges] == [("v_quote", together.id)]


def test_roles_levels_and_rule_counts():
    view = view_of(ROLES)
    assert {node.label: (node.role, node.level, node.rules) for node in view.nodes} == {
        "alarm": (Role.DERIVED_EVENT, 2, 1),
        "hot=true": (Role.SIMPLE_FLUENT, 1, 1),
        "hot=false": (Role.SIMPLE_FLUENT, 1, 1),
        "zone=open": (Role.INPUT_FLUENT, 1, 0),
        "risk=high": (Role.STATIC_FLUENT, 2, 1),
        "noted=true": (Role.SIMPLE_FLUENT, 3, 1),
    }


def test_input_events_are_not_nodes():
    assert {node.label for node in view_of(ROLES, "fluents").nodes} == {"alarm", "hot", "zone", "risk", "noted"}


def test_a_component_of_several_roles_has_none():
    text = """
    happensAt(alarm(X), T) :- happensAt(tick(X), T), holdsAt(loud(X)=true, T).
    initiatedAt(loud(X)=true, T) :- happensAt(alarm(X), T).
    """
    (node,) = view_of(text, "components").nodes
    assert node.role is None
    assert set(node.members) == {"alarm", "loud"}


def test_a_fluent_that_reads_itself_is_cyclic_though_its_pairs_are_not():
    text = "initiatedAt(stage(X)=two, T) :- happensAt(next(X), T), holdsAt(stage(X)=one, T)."
    assert not view_of(text).cyclic
    (edge,) = view_of(text, "fluents").edges
    assert edge.cyclic and edge.source == edge.target


def test_a_cycle_of_delays_is_cyclic_at_every_granularity():
    text = "initially(on=true). fi(on=true, on=false, 5). fi(on=false, on=true, 5)."
    assert all(len(view_of(text, granularity).cyclic) == 1 for granularity in ("pairs", "fluents", "components"))


def test_fluents_of_one_name_and_different_arity_can_be_told_apart():
    text = """
    initiatedAt(near(X)=true, T) :- happensAt(e(X), T).
    initiatedAt(near(X,Y)=true, T) :- happensAt(e(X,Y), T).
    """
    view = view_of(text)
    assert [node.label for node in view.nodes] == ["near/1=true", "near/2=true"]
    assert len({node.id for node in view.nodes}) == 2


def test_long_components_are_abbreviated():
    names = [f"f{i}" for i in range(7)]
    text = "\n".join(
        f"initiatedAt({name}=true, T) :- happensAt(e, T), holdsAt({names[i - 1]}=true, T)."
        for i, name in enumerate(names)
    )
    (node,) = view_of(text, "components").nodes
    assert node.label.endswith(" and 3 more")
    assert len(node.members) == 7


@pytest.mark.parametrize("granularity", ["pairs", "fluents", "components"])
def test_every_node_belongs_to_one_component_of_its_level(granularity):
    view = view_of(NETBILL + ROLES, granularity)
    home = {node: component for component in view.components for node in component.nodes}
    assert set(home) == set(view.node)
    assert all(home[node.id].id == node.component and home[node.id].level == node.level for node in view.nodes)


@pytest.mark.parametrize("granularity", ["pairs", "fluents", "components"])
def test_an_empty_program_has_an_empty_view(granularity):
    assert view_of("", granularity) == GraphView(granularity, (), (), ())


def test_input_events_are_nodes_if_wanted() -> None:
    text = """
    initiatedAt(slow(V)=true, T) :- happensAt(speed(V,S), T), S < 5.
    happensAt(halt(V), T) :- happensAt(start(slow(V)=true), T), happensAt(signal(V), T).
    initiatedAt(alarm(V)=on, T) :- happensAt(halt(V), T), \\+ happensAt(signal(V), T).
    """
    analysis = loads(text).analysis
    without, view = dependency_view(analysis), dependency_view(analysis, inputs=True)
    assert [node.label for node in view.nodes if node not in without.nodes] == ["speed", "signal"]
    assert {(edge.source, edge.target) for edge in view.edges if edge not in without.edges} == {
        ("e_speed", "v_slow_true"),
        ("e_signal", "v_halt"),
        ("e_signal", "v_alarm_on"),
    }
    assert all(node.level == 0 for node in view.nodes if node.role is Role.INPUT_EVENT)
    for granularity in ("fluents", "components"):
        shown = dependency_view(analysis, granularity, inputs=True)
        assert {"e_speed", "e_signal"} <= shown.node.keys()
        assert all({edge.source, edge.target} <= shown.node.keys() for edge in shown.edges)
        for notation in (to_svg, to_dot, to_mermaid):
            assert "speed" in notation(shown)


def test_delays_are_durations_where_the_unit_is_known() -> None:
    text = "initiatedAt(cart=active, T) :- happensAt(add, T). fi(cart=active, cart=abandoned, {})."
    labels = {
        source: [edge.label for edge in dependency_view(loads(source).analysis).edges if edge.kind == "f"]
        for source in (text.format(1800), ":- time_unit(s).\n" + text.format("30 min"))
    }
    assert list(labels.values()) == [["1800"], ["30min"]]
