"""The report in a real browser: keyboard, focus, filters, print; nothing leaves, and axe-core finds nothing."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import pytest

from dpverify.reporting.html_writer import HtmlWriter
from dpverify.runner.process_tree import with_descendants
from tests.browser import WIDTHS, browser, check_readable, needs_browser, opened, sideways
from tests.reporting.test_writers import made

pytestmark = [needs_browser, pytest.mark.ci]

ROW = "document.activeElement.closest('details.row')"
SEEN = "document.querySelectorAll('details.row:not([hidden])').length"


@pytest.fixture(scope="module")
def chromium():
    with browser() as found:
        yield found


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """Half of the claims refuted, one known to be broken."""
    rows = [made(id=f"row/{place}", verdict="refuted" if place % 2 else "not_refuted") for place in range(19)]
    rows.append(made(id="known", verdict="refuted", expectation="broken"))
    return HtmlWriter().write(rows, tmp_path_factory.mktemp("report"), title="run")


def test_nobody_is_barred_at_any_width_in_light_and_dark(chromium, report):
    check_readable(chromium, report, open_all=True)


def test_all_is_done_by_keyboard_and_the_focus_is_seen(chromium, report):
    with opened(chromium, report) as page:
        page.keyboard.press("Tab")
        seen = []
        for _ in range(8):
            what = page.evaluate("[document.activeElement.tagName, document.activeElement.dataset.verdict || '']")
            outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
            seen.append(what[0])
            assert outline != "none", what
            if what == ["BUTTON", "refuted"]:
                page.keyboard.press("Enter")
                assert page.evaluate(SEEN) == 9  # the known broken one has a button of its own
                page.keyboard.press("Space")
                assert page.evaluate(SEEN) == 20
            if what[0] == "INPUT":
                page.keyboard.type("row/11")
                assert page.evaluate(SEEN) == 1
                assert page.inner_text("#shown") == "1 of 20 claims"
            if what[0] == "SELECT":
                page.keyboard.press("ArrowDown")
            if what[0] == "SUMMARY" and page.evaluate(f"{ROW} !== null"):
                page.keyboard.press("Enter")
                assert page.evaluate(f"{ROW}.open")
                break
            page.keyboard.press("Tab")
        assert {"BUTTON", "INPUT", "SELECT", "SUMMARY"} <= set(seen)


def test_a_row_is_opened_by_its_address(chromium, report):
    with opened(chromium, report) as page:
        anchor = page.evaluate("document.querySelectorAll('details.row')[7].id")
        page.evaluate(f"location.hash = {anchor!r}")
        page.wait_for_function("document.querySelectorAll('details.row')[7].open")


def test_expected_failures_stay_apart_when_sorted(chromium, report):
    with opened(chromium, report) as page:
        page.select_option("#sort", "verdict")
        assert page.evaluate("document.querySelector('details.row').dataset.verdict") == "not_refuted"
        lists = "[...document.querySelectorAll('.rows')].map((list) => list.children.length)"
        assert page.evaluate(lists) == [19, 1]


def test_print_opens_every_row_and_works_without_script(chromium, report):
    with opened(chromium, report) as page:
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert page.evaluate("[...document.querySelectorAll('details.row')].every((row) => row.open)")
    with opened(chromium, report, java_script_enabled=False) as page:
        assert page.locator("details.row").count() == 20
        assert not page.locator("#tools").is_visible()


def test_in_print_a_label_stays_with_its_value_and_options_are_whole(chromium, report):
    with opened(chromium, report, wide=700) as page:
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        found = page.evaluate(
            """() => [...document.querySelectorAll('.inside dl > *')].map(each => {
                const [dt, dd] = ['dt', 'dd'].map(name => each.querySelectorAll(name));
                const one = dt.length === 1 && dd.length === 1;
                const top = (found) => found[0].getBoundingClientRect().top;
                const level = one && Math.abs(top(dt) - top(dd)) < 6;
                return [each.tagName, getComputedStyle(each).breakInside, level];
            })"""
        )
        assert len(found) > 20 and all(each == ["DIV", "avoid", True] for each in found)
        options = page.evaluate("[...document.querySelectorAll('.option')].map(each => each.getClientRects().length)")
        assert options and set(options) <= {0, 1}


def test_a_long_mark_stays_in_its_column(chromium, tmp_path):
    accepted = {"accepted": {"until": "2999-12-31", "reason": "a ticket"}}
    records = [made(id=verdict, verdict=verdict) | accepted for verdict in ("refuted", "inconclusive", "unsupported")]
    path = HtmlWriter().write(records, tmp_path, title="t")
    for wide in (1280, 390):
        with opened(chromium, path, wide=wide) as page:
            ends = page.evaluate(
                "[...document.querySelectorAll('details.row > summary')].map(each => each.querySelector('b')"
                ".getBoundingClientRect().left - each.querySelector('.badge').getBoundingClientRect().right)"
            )
            assert len(ends) == 3 and min(ends) >= 0
            wide_marks = page.evaluate(
                "[...document.querySelectorAll('.badge')].map(each => each.scrollWidth - each.clientWidth)"
            )
            assert max(wide_marks) <= 0


def processor_seconds():
    """Processor seconds of each living process that this one has started, the browser's among them."""
    found = {}
    for process in with_descendants(os.getpid())[1:]:
        with suppress(OSError):
            fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
            found[process] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")  # utime and stime
    return found


def test_two_thousand_rows_open_fast_and_are_small(chromium, tmp_path):
    """Two seconds are asked for, of the browser's processor time: what else the machine does plays no part in it."""
    rows = [made(id=f"row/{place}", verdict="refuted" if place % 2 else "not_refuted") for place in range(2000)]
    path = HtmlWriter().write(rows, tmp_path, title="run")
    assert path.stat().st_size < 20 * 2**20
    for wide in WIDTHS:
        begun = processor_seconds()
        with opened(chromium, path, wide=wide) as page:
            assert page.evaluate(SEEN) == 2000
            spent = [now - begun.get(process, 0.0) for process, now in processor_seconds().items()]
            assert 0.05 < sum(spent) < 10
            assert sideways(page) <= 0
