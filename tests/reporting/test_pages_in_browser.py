"""Every other kind of page in a real browser: axe-core finds nothing, nothing scrolls sideways, nothing is fetched."""

from __future__ import annotations

from pathlib import Path

import pytest

import dpverify
from dpverify.dossier.page import html
from dpverify.reporting.frontier_page import write_frontier
from tests.browser import browser, check_readable, needs_browser
from tests.dossier.made import SIGNED, found, record
from tests.reporting.test_frontier_page import frontier

pytestmark = [needs_browser, pytest.mark.ci]

ROOT = Path(dpverify.__file__).parents[1]
RENDERED = ("power.html", "utility.html", "utility/rsgd-fig-1.html")
SITE = ROOT / "reports" / "local" / "site"
PLACES = (
    "index.html",
    "tutorial/your-mechanism.html",
    "why/verdicts.html",
    "pitfalls/clipped-batch.html",
    "generated/commands.html",
    "generated/records/gallery.html",
    "generated/records/ledger.html",
)


@pytest.fixture(scope="module")
def chromium():
    with browser() as found_here:
        yield found_here


@pytest.mark.parametrize("name", RENDERED)
def test_pages_of_records(chromium, name):
    check_readable(chromium, ROOT / "reports" / "rendered" / name)


def test_the_page_of_a_frontier(chromium, tmp_path):
    write_frontier(frontier(), tmp_path, lines=[("does not lag", "")], reproduce="dpverify frontier mine:train")
    check_readable(chromium, next(tmp_path.glob("*.html")))


def test_a_dossier(chromium, tmp_path):
    path = tmp_path / "dossier.html"
    path.write_text(html(found(tmp_path, [record()], SIGNED)), encoding="utf-8")
    check_readable(chromium, path)


@pytest.mark.skipif(not SITE.is_dir(), reason="the site is not built here (make site)")
@pytest.mark.parametrize("name", PLACES)
def test_pages_of_the_site(chromium, name):
    check_readable(chromium, SITE / name, own=SITE)
