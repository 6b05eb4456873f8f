"""A real browser for pages: this machine's Chromium, driven by Playwright; axe-core looks for what bars readers."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_browser = pytest.mark.skipif(
    CHROMIUM is None or find_spec("playwright") is None,
    reason="no chromium here (Debian: apt-get install chromium), or no playwright (pip install 'dpverify[dev]')",
)
WAITS = 180_000
"""Milliseconds until a page counts as stuck: a browser beside other tests on two cores waits for its turn."""

WIDTHS = (1280, 820, 390)
SCHEMES = ("light", "dark")
READ_BY_AXE = ((1280, "light"), (390, "dark"))


@contextmanager
def browser() -> Iterator[Any]:
    """The browser, closed at the end."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as play:
        opened = play.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        try:
            yield opened
        finally:
            opened.close()


@contextmanager
def opened(browser: Any, path: Path, *, own: Path | None = None, wide: int = 1280, **settings: Any) -> Iterator[Any]:
    """A page from a file, which has asked for nothing else (of `own`: for its own) and raised nothing at the end."""
    context = browser.new_context(viewport={"width": wide, "height": 900}, **settings)
    context.set_default_timeout(WAITS)
    page, asked, raised = context.new_page(), [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: raised.append(str(error)))
    try:
        page.goto(path.as_uri())
        yield page
        mine = path.as_uri() if own is None else own.as_uri()
        assert [url for url in asked if not url.startswith((mine, "data:"))] == []
        assert raised == []
    finally:
        context.close()


def barred(page: Any) -> list[str]:
    """What axe-core finds wrong, a line each: the rule, and the first element."""
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    return [f"{each['id']}: {each['nodes'][0]['html'][:120]}" for each in found]


def sideways(page: Any) -> int:
    """Pixels by which the page is wider than its window."""
    return int(page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth"))


def check_readable(browser: Any, path: Path, *, open_all: bool = False, own: Path | None = None) -> None:
    """No violation of axe-core and no sideways scrolling, at three widths, light and dark.

    What axe-core asks of colours hangs on the scheme, of regions that scroll on the width: each has its turn once.
    """
    with opened(browser, path, own=own) as page:
        if open_all:
            page.evaluate("document.querySelectorAll('details').forEach((each) => { each.open = true; })")
        for wide in WIDTHS:
            page.set_viewport_size({"width": wide, "height": 900})
            for scheme in SCHEMES:
                page.emulate_media(color_scheme=scheme)
                assert sideways(page) <= 0, (path.name, wide, scheme)
                if (wide, scheme) in READ_BY_AXE:
                    assert not (found := barred(page)), (path.name, wide, scheme, found)
