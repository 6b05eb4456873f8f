"""The gallery's results: what they say is what files and records say, on each way to show it."""

from __future__ import annotations

import io
from pathlib import Path

import matplotlib as mpl
import pytest
from rich.console import Console

import dpverify as dpv
from dpverify.core.errors import InputError
from dpverify.core.plugins import registry
from dpverify.core.registry import Registry
from dpverify.core.verdict import Status
from dpverify.gallery.bug import load_bug
from dpverify.gallery.result import read_record
from dpverify.shown.view import WORDS

mpl.use("Agg")


def test_the_whole_gallery_is_a_table_and_a_picture() -> None:
    found = dpv.bug_gallery()
    page, text = found._repr_html_(), repr(found)
    assert [each.bug.name for each in found] == list(registry().bugs) and len(found) == len(text.splitlines()) == len(
        list(registry().bugs)
    )
    for each in found:
        assert each.bug.name in page and each.bug.name in text and each.as_expected
    assert "<svg" in page and "on the old release itself" in page
    shown = {row[0]: row[4] for row in found.view().table[1:]}
    for each in found:  # a bound is rounded down
        assert float(shown[each.bug.name]) <= each.record["bound"]
    ax = found.plot()
    assert [each.get_text() for each in ax.get_yticklabels()] == list(registry().bugs)
    mpl.pyplot.close(ax.figure)


@pytest.mark.parametrize("name", list(registry().bugs))
def test_each_bug_shows_report_claim_verdict_and_picture(name: str) -> None:
    found, item = dpv.bug_gallery(name), read_record(name)
    assert item is not None and found.verdict is Status(item["verdict"])
    page = found._repr_html_()
    assert WORDS[item["verdict"]] in page and "<svg" in page and f"gallery --run {name}" in page
    for address in found.bug.reports:
        assert address in page and address in repr(found)
    ax = found.plot()
    assert ax.get_title().startswith(item["verdict"].replace("_", " "))
    mpl.pyplot.close(ax.figure)
    out = io.StringIO()
    Console(file=out, width=90).print(found)
    assert "measured" in out.getvalue() and "claimed" in out.getvalue()


def test_a_bug_is_found_by_its_name() -> None:
    assert dpv.bug_gallery()["opendp-2707"] == dpv.bug_gallery("opendp-2707")
    with pytest.raises(InputError, match="no-such"):
        dpv.bug_gallery("no-such")
    with pytest.raises(InputError, match="no-such"):
        dpv.bug_gallery()["no-such"]
    with pytest.raises(InputError, match="without a name"):
        dpv.bug_gallery(run=True)


def test_run_looks_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, alone = registry().bugs.get("pategan-36").code, Registry()
    for suffix in (".toml", ".py"):
        (tmp_path / f"twice{suffix}").write_bytes(code.with_suffix(suffix).read_bytes())
    load_bug(tmp_path / "twice.toml", alone)
    monkeypatch.setattr("dpverify.gallery.result.registry", lambda: alone)
    before = dpv.bug_gallery("twice")
    assert before.record is None and before.verdict is None and not before.as_expected
    assert "not yet; dpverify gallery --run twice" in before._repr_html_()
    assert "not run" in dpv.bug_gallery()._repr_html_()
    after = dpv.bug_gallery("twice", run=True)
    assert after.verdict is Status.REFUTED and after.as_expected
