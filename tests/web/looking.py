"""Pages in a real browser, for the tests that look at them."""

from __future__ import annotations

import re
import shutil

import pytest

sync_api = pytest.importorskip("playwright.sync_api", reason="needs Playwright: pip install playwright")
BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
needs_browser = pytest.mark.skipif(BROWSER is None, reason="needs Chromium or Chrome on the path")

PATIENCE = 30_000
"""Milliseconds; machines that run tests may have other things to do."""
REFUSED = re.compile(r"status of (422|409) ")
"""Browsers note when a server says no, even where the page goes on to tell people why."""


class Looked:
    """A page, and what went wrong on it."""

    def __init__(self, browser, address: str, **look) -> None:
        self.context = browser.new_context(**({"viewport": {"width": 1400, "height": 850}} | look))
        self.page = self.context.new_page()
        self.page.set_default_timeout(PATIENCE)
        self.complaints: list[str] = []
        self.elsewhere: list[str] = []
        origin = address.split("/#", maxsplit=1)[0]
        self.page.on("console", lambda said: self._hear(said.type, said.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: (self.complaints.append(dialog.message), dialog.dismiss()))
        self.page.on("request", lambda asked: self._note(asked.url, origin))
        self.go(address)

    def go(self, address: str) -> None:
        self.page.goto(address)
        self.page.wait_for_selector("html[data-ready]", state="attached")

    def _hear(self, kind: str, text: str) -> None:
        if kind in {"error", "warning"} and not REFUSED.search(text):
            self.complaints.append(text)

    def _note(self, url: str, origin: str) -> None:
        if not url.startswith((f"{origin}/", "data:")):
            self.elsewhere.append(url)

    def close(self) -> None:
        self.context.close()
        assert self.complaints == []
        assert self.elsewhere == []


def replace_rules(page, text: str) -> None:
    page.locator(".cm-content").focus()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(text)
