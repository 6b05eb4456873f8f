"""Every other kind of page in a real browser: axe-core finds nothing, nothing scrolls sideways, nothing is fetched."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

import dpverify
from dpverify.dossier.page import html
from dpverify.reporting.frontier_svg import write_frontier
from tests.browser import browser, check_readable, needs_browser
from tests.dossier.made import SIGNED, found, record
from tests.forked import run
from tests.reporting.test_frontier_svg import frontier

pytestmark = [needs_browser, pytest.mark.ci]

ROOT = Path(dpverify.__file__).parents[1]
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


@pytest.fixture(scope="module")
def rendered(tmp_path_factory):
    folder = tmp_path_factory.mktemp("rendered")
    run([sys.executable, "-m", "dpverify", "ledger", "--paper", "RSGD", "--render", str(folder)], check=True)
    return folder


def test_the_page_of_power(chromium):
    check_readable(chromium, ROOT / "reports" / "rendered" / "power.html")


@pytest.mark.parametrize("name", ["utility.html", "utility/learned.html", "utility/rsgd-fig-1.html"])
def test_pages_of_records(chromium, rendered, name):
    check_readable(chromium, rendered / name)


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
