"""`dpverify report`: pages from records, as PDF where there is a browser, and one line for bad input."""

import json
import shutil

import pytest

from dpverify.cli import report as pdf
from tests.dossier.made import REFUTED, record


@pytest.fixture
def run(call, tmp_path):
    (tmp_path / "results.json").write_text(json.dumps([record(), record(id="b", **REFUTED)]))
    return call


def test_the_pages_are_made_from_records(run, tmp_path):
    status, out, err = run("report", "results.json", "--out", "pages", "--format", "html,md", "--title", "Mine & yours")
    assert (status, out) == (0, ""), err
    assert "1 of 2 claims is false" in (tmp_path / "pages/report.html").read_text()
    assert "<h1>Mine &amp; yours</h1>" in (tmp_path / "pages/report.html").read_text()
    assert "written: pages/report.html" in err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "no run is given"),
        (("results.json",), "no --out"),
        (("results.json", "--out", "pages", "--format", "docx"), "--format 'docx'"),
        (("nothing.json", "--out", "pages"), "no file or folder nothing.json"),
    ],
)
def test_bad_input_is_one_line(run, tmp_path, words, said):
    status, out, err = run("report", *words)
    assert (status, out) == (2, "")
    assert said in err
    assert len(err.strip().splitlines()) == 1
    assert not (tmp_path / "pages/report.html").exists()


def test_without_a_browser_a_pdf_is_refused_before_anything_is_written(run, tmp_path, monkeypatch):
    monkeypatch.setattr(pdf.shutil, "which", lambda _name: None)
    with pytest.raises(pdf.InputError, match="no Chromium here"):
        pdf.browser()


@pytest.mark.skipif(not any(map(shutil.which, pdf.BROWSERS)), reason="no chromium here")
def test_a_pdf_is_printed_whole(run, tmp_path):
    status, _, err = run("report", "results.json", "--out", "pages", "--pdf")
    assert status == 0, err
    content = (tmp_path / "pages/report.pdf").read_bytes()
    assert content.startswith(b"%PDF-")
    assert content.rstrip().endswith(b"%%EOF")
    assert sorted(each.name for each in (tmp_path / "pages").iterdir()) == ["report.html", "report.pdf"]
