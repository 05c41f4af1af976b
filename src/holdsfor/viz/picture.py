"""What all pictures can do: be an SVG, a page of their own, a file, and the output of a notebook cell."""

from __future__ import annotations

from html import escape
from pathlib import Path

from holdsfor.diagnostics import HoldsforError


class Picture:
    """Something that can be drawn."""

    @property
    def title(self) -> str:
        """What stands above it."""
        raise NotImplementedError

    def svg(self) -> str:
        """A picture that does not move."""
        raise NotImplementedError

    def html(self) -> str:
        """A page with the picture that needs nothing else."""
        return f"<!doctype html><meta charset='utf-8'><title>{escape(self.title)}</title>{self.svg()}"

    def save(self, path: str | Path) -> Path:
        """Write a file: `.svg` or `.html`."""
        target = Path(path)
        writers = {".svg": self.svg, ".html": self.html}
        if target.suffix.lower() not in writers:
            raise HoldsforError(f"a picture is saved as .svg or .html, not as {target.name}")
        target.write_text(writers[target.suffix.lower()](), encoding="utf-8")
        return target

    def _repr_html_(self) -> str:
        return f'<iframe srcdoc="{escape(self.html())}" style="width:100%;height:480px;border:0"></iframe>'
