"""Pictures of metric programs: predicates, levels, and operators on edges."""

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from holdsfor.diagnostics import Source
from holdsfor.frontend.dmtl import parse_metric
from holdsfor.viz.graph import GraphView, metric_view, to_dot, to_mermaid, to_svg

EXAMPLES = Path(__file__).parents[3] / "examples"


def view_of(text: str) -> GraphView:
    program = parse_metric([Source("rules.dmtl", text)])
    assert not program.diagnostics
    return metric_view(program)


def edges(text: str) -> set[tuple[str, str, str, str]]:
    view = view_of(text)
    return {(view.node[e.source].label, view.node[e.target].label, e.kind, e.label) for e in view.edges}


def test_operators_stand_on_edges_from_the_outside_in() -> None:
    found = edges("Boxplus[0,3] Q(X) :- Boxminus[0,4] Diamondminus(0,1/2] P(X), R(X)")
    assert found == {("P/1", "Q/1", "i", "⊞[0,3] ⇐ ⊟[0,4] ◇⁻(0,0.5]"), ("R/1", "Q/1", "i", "⊞[0,3] ⇐")}


def test_a_dot_marks_the_side_of_since_and_until() -> None:
    found = edges("Q(X) :- A(X) Since[0,6] Diamondplus[1] B(X), A(X) Until[1,2] C(X)")
    assert found == {
        ("A/1", "Q/1", "i", "·S[0,6], ·U[1,2]"),
        ("B/1", "Q/1", "i", "S[0,6]· ◇⁺[1]"),
        ("C/1", "Q/1", "i", "U[1,2]·"),
    }


def test_negation_and_aggregates_have_edges_of_their_own() -> None:
    found = edges("Q(X) :- P(X), not Boxminus[0,1] P(X)\nN(X,K) :- K = count(Y : R(X,Y))")
    assert found == {("P/1", "Q/1", "i", ""), ("P/1", "Q/1", "n", "not ⊟[0,1]"), ("R/2", "N/2", "n", "count")}


def test_levels_and_components() -> None:
    view = view_of("Flag(X) :- Watch(X), P(X)\nBoxplus[0,3] Watch(X) :- Flag(X)\nAlert(X) :- Flag(X)\nD(a)@3")
    assert {node.label: node.level for node in view.nodes} == {
        "Flag/1": 1,
        "Watch/1": 1,
        "P/1": 0,
        "Alert/1": 2,
        "D/1": 0,
    }
    assert [component.nodes for component in view.components if component.cyclic] == [("v_Flag", "v_Watch")]


def test_a_program_without_rules() -> None:
    assert view_of("").nodes == ()
    assert to_svg(view_of("")).startswith("<svg")


def test_mermaid_and_dot() -> None:
    view = view_of("Q(X) :- Diamondminus[0,1] P(X), not R(X)")
    assert to_mermaid(view) == (
        "flowchart LR\n"
        '    v_Q["Q/1<br/>level 1"]:::derived\n'
        '    v_P[/"P/1<br/>level 0"/]:::given\n'
        '    v_R[/"R/1<br/>level 0"/]:::given\n'
        '    v_P -->|"#9671;#8315;#91;0,1#93;"| v_Q\n'
        '    v_R -.->|"not"| v_Q\n'
        "    classDef given fill:#ffffff,stroke:#6b7785,color:#1f2933\n"
        "    classDef derived fill:#dcf2e3,stroke:#23794a,color:#1f2933\n"
    )
    assert '    v_R -> v_Q [label="not", style=dotted];\n' in to_dot(view)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*/*.dmtl")), ids=lambda path: path.parent.name)
def test_labels_do_not_cover_each_other(path: Path) -> None:
    root = ET.fromstring(to_svg(view_of(path.read_text())))
    labels = [
        (float(text.get("x", 0)), float(text.get("y", 0)))
        for text in root.iter("{http://www.w3.org/2000/svg}text")
        if text.get("class") == "delay"
    ]
    assert labels
    assert all(
        abs(one[0] - other[0]) > 60 or abs(one[1] - other[1]) > 9
        for place, one in enumerate(labels)
        for other in labels[:place]
    )
