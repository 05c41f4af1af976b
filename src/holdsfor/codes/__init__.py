"""The pages of the diagnostic codes: one Markdown file for each, with its title on the first line."""

from __future__ import annotations

from importlib.resources import files


def all_codes() -> dict[str, str]:
    """Every code with its title, in order."""
    pages = sorted(item.name for item in files(__name__).iterdir() if item.name.endswith(".md"))
    return {name.removesuffix(".md"): _title(name.removesuffix(".md")) for name in pages}


def page(code: str) -> str | None:
    """The page of a code, or None."""
    found = files(__name__) / f"{code}.md"
    return found.read_text(encoding="utf-8") if found.is_file() else None


def _title(code: str) -> str:
    text = page(code) or ""
    return text.partition("\n")[0].removeprefix("# ").partition(": ")[2]
