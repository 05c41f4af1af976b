"""Mermaid and DOT: golden text, and labels that need escaping."""

import re

from holdsfor.viz.graph import to_dot, to_mermaid
from tests.unit.viz.programs import LAMP, NASTY, QUARREL, labelled, view_of

LAMP_MERMAID = """\
flowchart LR
    subgraph c_lit_true["processed together, level 1"]
        v_lit_true["lit=true<br/>level 1"]:::simple
        v_lit_false["lit=false<br/>level 1"]:::simple
    end
    v_safe_true[["safe=true<br/>level 2"]]:::static
    v_guard_present[/"guard=present<br/>level 1"/]:::input
    v_lit_true --> v_safe_true
    v_guard_present --> v_safe_true
    v_lit_true -.->|"30"| v_lit_false
    classDef input fill:#ffffff,stroke:#6b7785,color:#1f2933
    classDef simple fill:#dcebfb,stroke:#2566ad,color:#1f2933
    classDef static fill:#dcf2e3,stroke:#23794a,color:#1f2933
    classDef together fill:#e9edf2,stroke:#8492a6,color:#1f2933
    class c_lit_true together
"""

QUARREL_MERMAID = """\
flowchart LR
    subgraph c_interaction["cyclic component, level 1"]
        v_interaction["interaction<br/>level 1"]:::simple
        v_movement["movement<br/>level 1"]:::simple
    end
    v_quarrel(["quarrel<br/>level 2"]):::event
    v_movement --> v_interaction
    v_interaction --> v_movement
    v_movement --> v_quarrel
    classDef simple fill:#dcebfb,stroke:#2566ad,color:#1f2933
    classDef event fill:#ffeccc,stroke:#a86200,color:#1f2933
    classDef cyclic fill:#fdf1ef,stroke:#b42318,color:#1f2933
    class c_interaction cyclic
    linkStyle 0,1 stroke:#b42318
"""

DOT_HEAD = """\
digraph dependencies {
    graph [rankdir=LR, bgcolor="#ffffff", fontname="Helvetica,Arial,sans-serif", fontsize=10];
    node [shape=box, style="filled,rounded", fontname="Helvetica,Arial,sans-serif", fontsize=11, fontcolor="#1f2933"];
    edge [color="#5b6875", fontcolor="#1f2933", fontname="Helvetica,Arial,sans-serif", fontsize=10];
"""

LAMP_DOT = (
    DOT_HEAD
    + """\
    subgraph cluster_c_lit_true {
        label="processed together, level 1"; style="filled,rounded"; fillcolor="#e9edf2"; color="#8492a6";
        v_lit_true [label="lit=true\\nlevel 1", fillcolor="#dcebfb", color="#2566ad"];
        v_lit_false [label="lit=false\\nlevel 1", fillcolor="#dcebfb", color="#2566ad"];
    }
    v_safe_true [label="safe=true\\nlevel 2", fillcolor="#dcf2e3", color="#23794a"];
    v_guard_present [label="guard=present\\nlevel 1", fillcolor="#ffffff", color="#6b7785"];
    v_lit_true -> v_safe_true;
    v_guard_present -> v_safe_true;
    v_lit_true -> v_lit_false [label="30", style=dashed];
}
"""
)

QUARREL_DOT = (
    DOT_HEAD
    + """\
    subgraph cluster_c_interaction {
        label="cyclic component, level 1"; style="filled,rounded"; fillcolor="#fdf1ef"; color="#b42318";
        v_interaction [label="interaction\\nlevel 1", fillcolor="#dcebfb", color="#2566ad"];
        v_movement [label="movement\\nlevel 1", fillcolor="#dcebfb", color="#2566ad"];
    }
    v_quarrel [label="quarrel\\nlevel 2", fillcolor="#ffeccc", color="#a86200", shape=oval];
    v_movement -> v_interaction [color="#b42318"];
    v_interaction -> v_movement [color="#b42318"];
    v_movement -> v_quarrel;
}
"""
)


def test_mermaid_of_pairs():
    assert to_mermaid(view_of(LAMP)) == LAMP_MERMAID


def test_mermaid_of_fluents():
    assert to_mermaid(view_of(QUARREL, "fluents")) == QUARREL_MERMAID


def test_dot_of_pairs():
    assert to_dot(view_of(LAMP)) == LAMP_DOT


def test_dot_of_fluents():
    assert to_dot(view_of(QUARREL, "fluents")) == QUARREL_DOT


def test_a_contracted_component_says_that_it_is_cyclic():
    view = view_of(QUARREL, "components")
    assert 'interaction, movement<br/>level 1, cyclic"' in to_mermaid(view)
    assert 'interaction, movement\\nlevel 1, cyclic"' in to_dot(view)


# Escaping


def unquoted(text: str) -> str:
    """What Mermaid makes of a label."""
    return re.sub(r"#(\d+);", lambda code: chr(int(code[1])), text)


def test_mermaid_labels_hold_any_text():
    (line,) = (line for line in to_mermaid(labelled(NASTY)).splitlines() if "v_n" in line)
    written = line.removeprefix('    v_n["').removesuffix('<br/>level 1"]:::simple')
    assert unquoted(written).replace("\u2060", "") == NASTY
    assert not set('"<>&`%{}|[]*\\~$:') & set(written)
    assert "l_m" in written and "_k_" not in written
    assert "#92;#8288;n" in written
    assert "größe 速度" in written


def test_dot_labels_hold_any_text():
    (line,) = (line for line in to_dot(labelled(NASTY)).splitlines() if "v_n" in line)
    written = re.search(r'label="((?:[^"\\]|\\.)*)"', line)[1].removesuffix("\\nlevel 1")
    assert written.replace('\\"', '"').replace("\\\\", "\\").replace("&amp;", "&") == NASTY


def test_labels_stay_on_one_line():
    view = labelled("a\nb\r\nc\x00")
    assert "a b  c#65533;" in to_mermaid(view)
    assert "a b  c\ufffd" in to_dot(view)


def test_quoted_atoms_of_a_program():
    view = view_of("initiatedAt('end'(X)='Über \"A\" <b>', T) :- happensAt(e(X), T).")
    assert view.nodes[0].label == "end='Über \"A\" <b>'"
    assert view.nodes[0].id == "v_end_ber_A_b"
    assert "v_end_ber_A_b[\"end='Über #34;A#34; #60;b#62;'<br/>level 1\"]:::simple" in to_mermaid(view)
    assert 'label="end=\'Über \\"A\\" <b>\'\\nlevel 1"' in to_dot(view)


def test_delays_are_escaped_too():
    text = to_mermaid(view_of("fi(a=1, a=2, max(3*2)). initially(a=1)."))
    assert '-.->|"max(3 #42; 2)"|' in text
