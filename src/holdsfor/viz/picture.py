"""The interface of all pictures: as SVG, as a page, as a file."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path

from holdsfor.diagnostics import HoldsforError
from holdsfor.io.outputs import created
from holdsfor.viz.png import png_of


class Picture:
    """An object that can be drawn."""

    @property
    def title(self) -> str:
        """The title of the picture."""
        raise NotImplementedError

    def svg(self) -> str:
        """A static, self-contained picture."""
        raise NotImplementedError

    def html(self) -> str:
        """An interactive, self-contained page."""
        raise NotImplementedError

    def formats(self) -> dict[str, Callable[[], str]]:
        """The text by file name ending; `.png` is available in addition."""
        return {".svg": self.svg, ".html": self.html}

    def save(self, path: str | Path) -> Path:
        """Writes a file by its ending: `.html`, `.svg`, or `.png` if a browser is available to draw it."""
        target = Path(path)
        ending = target.suffix.lower()
        writers = self.formats()
        if ending not in writers and ending != ".png":
            raise HoldsforError(f"a picture is saved as {', '.join([*writers, '.png'])}, not as {target.name!r}")
        content = png_of(self.svg()) if ending == ".png" else writers[ending]().encode()
        with created(target) as file:
            file.write(content)
        return target


def in_frame(page: str, height: int, title: str) -> str:
    """An HTML frame for notebooks, which isolates styles and scripts."""
    style = f"width:100%;height:{height}px;border:0"
    return f'<iframe srcdoc="{escape(page)}" style="{style}" title="{escape(title)}" sandbox="allow-scripts"></iframe>'
