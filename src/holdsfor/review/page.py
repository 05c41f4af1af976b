"""Self-contained pages of reviews, without scripts and without anything to fetch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

_STYLE = """
.hf-review{--ink:#1c2430;--soft:#5d6b7e;--line:#d9e0e8;--paper:#fff;--wash:#f5f7fa;--green:#1b7f4b;--red:#b3322b;
--blue:#1f5fbf;--amber:#9a6200;color:var(--ink);font:15px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;
max-width:78rem;margin:0 auto}
.hf-review h1{font-size:1.35rem;margin:0 0 .3rem;font-weight:650;overflow-wrap:anywhere}
.hf-review h2{font-size:1.05rem;margin:1.8rem 0 .5rem;font-weight:650}
.hf-review p{margin:.3rem 0}.hf-review .soft{color:var(--soft)}
.hf-review .cards{display:flex;flex-wrap:wrap;gap:.7rem;margin:1rem 0}
.hf-review .card{border:1px solid var(--line);border-radius:.5rem;padding:.5rem .9rem;min-width:7rem;background:var(--paper)}
.hf-review .card b{display:block;font-size:1.35rem;font-weight:650;font-variant-numeric:tabular-nums}
.hf-review .card span{color:var(--soft);font-size:.85rem}
.hf-review .scroll{overflow-x:auto}
.hf-review table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
.hf-review th{font-weight:600;color:var(--soft);font-size:.85rem;text-align:right;border-bottom:2px solid var(--line);
padding:.25rem .6rem;white-space:nowrap}
.hf-review td{text-align:right;border-bottom:1px solid var(--line);padding:.25rem .6rem;vertical-align:top}
.hf-review th.left,.hf-review td.left{text-align:left}
.hf-review code{font:.88rem/1.45 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.hf-review details{border:1px solid var(--line);border-radius:.5rem;margin:.5rem 0;padding:.35rem .8rem}
.hf-review details details{border:0;margin:0;padding:0}
.hf-review summary{cursor:pointer}
.hf-review summary:focus-visible{outline:2px solid var(--blue);outline-offset:1px}
.hf-review .tag{display:inline-block;border:1px solid currentColor;border-radius:.25rem;padding:0 .4rem;font-size:.75rem;
font-weight:600;margin-right:.4rem;white-space:nowrap}
.hf-review .good{color:var(--green)}.hf-review .bad{color:var(--red)}.hf-review .other{color:var(--amber)}
.hf-review .picture{margin:1rem 0;overflow-x:auto;border:1px solid var(--line);border-radius:.5rem;background:#fff}
.hf-review .picture svg{display:block;max-width:100%;height:auto}
.hf-review ul.causes{margin:.4rem 0;padding-left:1.2rem}
.hf-review .two{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(26rem,1fr));margin:.6rem 0}
.hf-review .two>div{border-top:1px solid var(--line);padding-top:.5rem;min-width:0}
@media(max-width:40rem){.hf-review .two{grid-template-columns:1fr}}
@media(prefers-color-scheme:dark){.hf-review{--ink:#e6ebf2;--soft:#9aa8ba;--line:#36404d;--paper:#14181d;--wash:#1e242c;
--green:#5fcf95;--red:#ff8a80;--blue:#7db0ff;--amber:#f0bd5e}}
"""


def fragment(parts: Iterable[str]) -> str:
    """A piece of a page, with its own style."""
    return f'<div class="hf-review"><style>{_STYLE}</style>{"".join(parts)}</div>'


def whole_page(title: str, body: str) -> str:
    """A page around a fragment."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f'<meta name="color-scheme" content="light dark">\n<title>{escape(title)}</title>\n'
        "<style>body{margin:0;padding:1.5rem}@media(prefers-color-scheme:dark){body{background:#14181d}}</style>\n"
        f"</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def cards(found: Iterable[tuple[str, str]]) -> str:
    """Large numbers with their captions."""
    inside = "".join(
        f'<div class="card"><b>{escape(number)}</b><span>{escape(what)}</span></div>' for number, what in found
    )
    return f'<div class="cards">{inside}</div>'


def html_table(rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """A table with a head; the first columns stand to the left. Cells are text."""
    head, *rest = rows

    def line(cells: Sequence[str], tag: str) -> str:
        inside = "".join(
            f"<{tag}{' class=left' if place < left else ''}>{escape(cell)}</{tag}>" for place, cell in enumerate(cells)
        )
        return f"<tr>{inside}</tr>"

    body = "".join(line(row, "td") for row in rest)
    return f'<div class="scroll"><table><thead>{line(head, "th")}</thead><tbody>{body}</tbody></table></div>'


def picture(svg: str) -> str:
    """A picture inside of a page."""
    return f'<div class="picture">{svg}</div>'
