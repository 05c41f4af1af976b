"""Renders explanations as self-contained HTML: a collapsible tree without script."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import TYPE_CHECKING

from holdsfor.explain.nodes import Kind, Node, Row, RuleUse, shown_bindings

if TYPE_CHECKING:
    from holdsfor.explain.explanation import Explanation

_OPEN_LEVELS = 4
"""The number of initially expanded levels."""

_TAGS = {
    Kind.HOLDS: ("holds", "blue"),
    Kind.INITIATED: ("begins", "green"),
    Kind.TERMINATED: ("ends", "red"),
    Kind.INITIALLY: ("initially", "green"),
    Kind.DELAYED: ("delayed", "amber"),
    Kind.BROKEN: ("broken", "red"),
    Kind.EVENT: ("event", "violet"),
    Kind.BOUNDARY: ("edge", "violet"),
    Kind.ROW: ("row", "teal"),
    Kind.RULE: ("rule", "blue"),
    Kind.CONDITION: ("test", "grey"),
    Kind.WINDOW: ("window", "teal"),
    Kind.BACKGROUND: ("fact", "teal"),
    Kind.ABSENT: ("not there", "grey"),
    Kind.NEAR: ("nearest", "amber"),
    Kind.OPERATOR: ("operator", "blue"),
    Kind.METRIC: ("derived", "blue"),
    Kind.FACT: ("fact", "teal"),
}
"""The word and the colour of a kind of node."""
_STYLE = """
.hf-why{--ink:#1c2430;--soft:#5d6b7e;--line:#d9e0e8;--paper:#fff;--wash:#f5f7fa;--blue:#1f5fbf;--green:#1b7f4b;
--red:#b3322b;--amber:#9a6200;--violet:#6b3fb5;--teal:#0c7384;--grey:#5d6b7e;color:var(--ink);
font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;max-width:72rem}
.hf-why h1{font-size:1.25rem;margin:0 0 .25rem;font-weight:650;overflow-wrap:anywhere}
.hf-why .verdict{display:inline-block;padding:.05rem .6rem;border-radius:1rem;color:#fff;font-size:.8rem;
font-weight:600;vertical-align:.12em;margin-right:.5rem}
.hf-why .yes{background:var(--green)}.hf-why .no{background:var(--red)}
.hf-why .about{color:var(--soft);margin:0 0 1rem}
.hf-why ul{list-style:none;margin:0;padding:0 0 0 1.1rem;border-left:1px solid var(--line)}
.hf-why>ul{padding-left:0;border:0}
.hf-why li{margin:.3rem 0;position:relative}
.hf-why summary{cursor:pointer;border-radius:.3rem;padding:.1rem .3rem;list-style-position:outside;margin-left:1rem}
.hf-why summary:hover{background:var(--wash)}
.hf-why summary:focus-visible{outline:2px solid var(--blue);outline-offset:1px}
.hf-why .leaf{padding:.1rem .3rem;margin-left:1rem}
.hf-why .tag{display:inline-block;font-size:.72rem;font-weight:600;border-radius:.25rem;padding:0 .4rem;
margin-right:.45rem;color:var(--hue);border:1px solid currentColor;vertical-align:.08em;white-space:nowrap}
.hf-why .fails>.tag,.hf-why .fails{color:var(--red)}
.hf-why .fails .tag{color:var(--red)}
.hf-why .note{color:var(--soft)}
.hf-why .from{margin:.2rem 0 .35rem 1.3rem;font-size:.87rem;color:var(--soft)}
.hf-why code{font:.86rem/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
.hf-why .from code{display:block;white-space:pre-wrap;overflow-wrap:anywhere;background:var(--wash);color:var(--ink);
border-left:3px solid var(--line);padding:.35rem .6rem;margin:.15rem 0;border-radius:0 .3rem .3rem 0}
.hf-why .values{display:flex;flex-wrap:wrap;gap:.3rem;margin:.25rem 0}
.hf-why .values span{background:var(--wash);border:1px solid var(--line);border-radius:.3rem;padding:0 .4rem}
.hf-why .blue{--hue:var(--blue)}.hf-why .green{--hue:var(--green)}.hf-why .red{--hue:var(--red)}
.hf-why .amber{--hue:var(--amber)}.hf-why .violet{--hue:var(--violet)}.hf-why .teal{--hue:var(--teal)}
.hf-why .grey{--hue:var(--grey)}
@media(prefers-color-scheme:dark){.hf-why{--ink:#e6ebf2;--soft:#9aa8ba;--line:#36404d;--paper:#14181d;--wash:#1e242c;
--blue:#7db0ff;--green:#5fcf95;--red:#ff8a80;--amber:#f0bd5e;--violet:#c3a2ff;--teal:#63d0e0;--grey:#9aa8ba}
.hf-why .verdict{color:#14181d}}
"""


def html_page(explanation: Explanation) -> str:
    """An explanation as a page."""
    title = escape(explanation.headline)
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta name="color-scheme" content="light dark">\n<title>{title}</title>\n'
        f"<style>body{{margin:0;padding:1.5rem}}@media(prefers-color-scheme:dark){{body{{background:#14181d}}}}</style>\n"
        f"</head>\n<body>\n{html_fragment(explanation)}\n</body>\n</html>\n"
    )


def html_fragment(explanation: Explanation) -> str:
    """An explanation as a part of a page, with its own style."""
    word, look = ("holds", "yes") if explanation.holds else ("does not hold", "no")
    known = f", as known at query time {explanation.known_at}" if explanation.query_time is not None else ""
    notes = "".join(f'<p class="about">{escape(note)}</p>' for note in explanation.notes)
    seen: set[int] = set()
    tree = "".join(_node(explanation.root, 0, seen))
    return (
        f'<div class="hf-why"><style>{_STYLE}</style>'
        f'<h1><span class="verdict {look}">{word}</span>{escape(explanation.question)}</h1>'
        f'<p class="about">at {escape(explanation.at)}{known}</p>{notes}<ul>{tree}</ul></div>'
    )


def _node(node: Node, level: int, seen: set[int]) -> Iterator[str]:
    again = bool(node.children) and id(node) in seen
    seen.add(id(node))
    line = _line(node, again=again)
    inside = "" if again else "".join(_below(node, level, seen))
    if inside:
        # Failing steps are what the reader looks for, so they are expanded at any depth.
        is_open = " open" if level < _OPEN_LEVELS or not node.holds else ""
        yield f"<li><details{is_open}><summary>{line}</summary>{inside}</details></li>"
    else:
        yield f'<li><div class="leaf">{line}</div></li>'


def _line(node: Node, *, again: bool) -> str:
    tag, hue = _TAGS.get(node.kind, ("", ""))
    shown = f'<span class="tag {hue}">{tag}</span>' if tag else ""
    look = "note" if node.kind is Kind.NOTE else "" if node.holds else "fails"
    more = ' <span class="note">(shown above)</span>' if again else ""
    return f'<span class="{look}">{shown}{escape(node.text)}</span>{more}'


def _below(node: Node, level: int, seen: set[int]) -> Iterator[str]:
    if node.use is not None:
        yield from _rule(node.use)
    for row in node.rows:
        yield from _row(row)
    if node.more:
        yield '<p class="from">… more: ask about it, or look deeper</p>'
    elif node.children:
        yield "<ul>"
        for child in node.shown:
            yield from _node(child, level + 1, seen)
        yield "</ul>"


def _rule(use: RuleUse) -> Iterator[str]:
    if use.place is None:
        return
    yield f'<div class="from">{escape(use.place[0])}, line {use.place[1]}<code>{escape(use.span.text)}</code>'
    values = shown_bindings(use)
    if values:
        pairs = "".join(f"<span>{escape(name)} = {escape(value)}</span>" for name, value in values.items())
        yield f'<div class="values">{pairs}</div>'
    yield "</div>"


def _row(row: Row) -> Iterator[str]:
    if row.file is not None:
        yield f'<div class="from">{escape(row.file)}, line {row.line}<code>{escape(row.text)}</code></div>'
