"""The report in a real browser, where there is one: its script runs under the page's own policy, and nothing leaves."""

import json
import re
import shutil
import subprocess

import pytest

from dpverify.reporting.html_writer import HtmlWriter
from tests.reporting.test_writers import made

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

pytestmark = pytest.mark.skipif(BROWSER is None, reason="no chromium here (Debian: apt-get install chromium)")

SMALL = 390


def dom(page, folder, *, wide=1280):
    """The page's DOM after its script has run."""
    words = [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", f"--user-data-dir={folder}"]
    words += [f"--window-size={wide},900", "--virtual-time-budget=3000", "--dump-dom", page.as_uri()]
    return subprocess.run(words, capture_output=True, text=True, check=True, timeout=120).stdout


def test_the_script_runs_and_tells_how_many_claims_are_shown(tmp_path):
    rows = [made(id=f"row/{place}", verdict="refuted" if place % 2 else "not_refuted") for place in range(5)]
    page = HtmlWriter().write(rows, tmp_path, title="run")
    text = dom(page, tmp_path / "profile")
    assert re.search(r'<span id="shown"[^>]*>all 5 claims</span>', text)
    assert '<div id="tools" hidden' not in text


def test_two_thousand_rows_are_small_and_filters_work_by_keyboard_and_hash(tmp_path):
    """A page that embeds the report's own script is driven by events, as a person's keys would make them."""
    rows = [made(id=f"row/{place}", verdict="refuted" if place % 2 else "not_refuted") for place in range(1999)]
    rows.append(made(id="known", verdict="refuted", expectation="broken"))
    page = HtmlWriter().write(rows, tmp_path, title="run")
    assert page.stat().st_size < 20 * 2**20
    text = page.read_text(encoding="utf-8")
    driver = """
    const find = (selector) => document.querySelector(selector);
    const seen = () => document.querySelectorAll("details.row:not([hidden])").length;
    const report = {begin: seen()};
    find("button[data-verdict=refuted]").click(); report.refuted = seen();
    find("#search").value = "row/11"; find("#search").dispatchEvent(new Event("input")); report.searched = seen();
    find("button[data-verdict=refuted]").click(); find("#search").value = "";
    find("#search").dispatchEvent(new Event("input")); report.again = seen();
    find("#sort").value = "verdict"; find("#sort").dispatchEvent(new Event("change"));
    report.first = find("details.row").dataset.verdict;
    report.apart = [...document.querySelectorAll(".rows")].map((list) => list.children.length);
    report.wide = document.documentElement.scrollWidth - document.documentElement.clientWidth;
    report.tabs = [...document.querySelectorAll("button, input, select, summary")].every((each) => each.tabIndex >= 0);
    report.loaded = performance.getEntriesByType("resource").length;
    report.named = document.querySelectorAll("svg[role=img]:not([aria-label])").length;
    document.title = JSON.stringify(report);
    """
    policy = re.search(r"script-src '[^']*'", text).group()
    text = text.replace(policy, "script-src 'unsafe-inline'").replace("</body>", f"<script>{driver}</script></body>")
    driven = tmp_path / "driven.html"
    driven.write_text(text, encoding="utf-8")
    found = dom(driven, tmp_path / "profile", wide=SMALL)
    report = json.loads(re.search(r"<title>(\{.*?\})</title>", found).group(1))
    assert report["begin"] == report["again"] == 2000
    assert report["refuted"] == 1000
    assert 0 < report["searched"] < 200
    assert report["first"] == "not_refuted"
    assert report["wide"] <= 0
    assert report["apart"] == [1999, 1]
    assert report["tabs"]
    assert report["loaded"] == report["named"] == 0
