"""What all pictures can do: be an SVG, a page of their own, a file."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from pathlib import Path

from holdsfor.diagnostics import HoldsforError
from holdsfor.io.outputs import created
from holdsfor.viz.png import png_of


class Picture:
    """Something that can be drawn."""

    @property
    def title(self) -> str:
        """What stands above it."""
        raise NotImplementedError

    def svg(self) -> str:
        """A picture that does not move and needs nothing from outside."""
        raise NotImplementedError

    def html(self) -> str:
        """A page to look around in that needs nothing from outside."""
        raise NotImplementedError

    def formats(self) -> dict[str, Callable[[], str]]:
        """How it is written, by the ending of the file's name; `.png` comes on top."""
        return {".svg": self.svg, ".html": self.html}

    def save(self, path: str | Path) -> Path:
        """Write a file; its ending says what: `.html`, `.svg`, or `.png` if there is a browser to draw it."""
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
    """A page inside of a notebook: a frame keeps its styles and scripts to itself."""
    style = f"width:100%;height:{height}px;border:0"
    return f'<iframe srcdoc="{escape(page)}" style="{style}" title="{escape(title)}" sandbox="allow-scripts"></iframe>'
