"""In a GitHub job: annotations, the summary and its limit, and nothing from inside another run."""

from __future__ import annotations

import os

import pytest

from dpverify.reporting import github_job
from dpverify.reporting.github_job import OUTERMOST, annotated, annotation, append_summary, show_in_job, standing
from dpverify.reporting.sarif_location import Place
from tests.reporting.test_junit_writer import ALL, FAILED, WRONG
from tests.reporting.test_writers import made

AT = Place(uri="src/a%20b.py", line=7)


@pytest.fixture
def job(monkeypatch, tmp_path):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "summary.md"))
    monkeypatch.delenv(OUTERMOST, raising=False)
    return tmp_path / "summary.md"


def test_what_is_wrong_is_annotated_on_its_line_and_summed_up(job, capsys):
    show_in_job(ALL, title="a run", where=lambda _: AT)
    out, err = capsys.readouterr()
    assert out == ""
    assert f"::error file=src/a b.py,line=7,title=dpverify%3A {WRONG['id']}::" in err
    assert f"::warning file=src/a b.py,line=7,title=dpverify%3A {FAILED['id']}::" in err
    assert all(line.startswith("::") for line in err.splitlines())
    text = job.read_text()
    assert text.startswith("\n## a run\n")
    assert all(f"`{item['id']}`" in text for item in ALL)
    show_in_job([made()], title="another run")
    assert text in job.read_text()
    assert "## another run" in job.read_text()


def test_a_run_inside_another_one_shows_nothing(job, capsys, monkeypatch):
    monkeypatch.setenv(OUTERMOST, "1")
    show_in_job(ALL, title="a run")
    assert capsys.readouterr() == ("", "")
    assert not job.exists()


def test_outside_a_job_nothing_is_shown(job, capsys, monkeypatch):
    monkeypatch.delenv("GITHUB_ACTIONS")
    show_in_job(ALL, title="a run")
    assert capsys.readouterr() == ("", "")
    assert not job.exists()
    assert OUTERMOST not in os.environ


def test_a_summary_that_cannot_be_written_is_one_line(job, capsys):
    job.mkdir()
    show_in_job([made()], title="a run")
    assert capsys.readouterr().err == "dpverify: the job's summary cannot be written (Is a directory)\n"


def test_text_of_records_is_neither_a_command_nor_markup(job):
    line = annotation("error", "100 %\n::stop-commands::x", title="a,b:c\n::error::", at=None)
    assert line == "::error title=a%2Cb%3Ac %3A%3Aerror%3A%3A::100 %25%0A::stop-commands::x"
    show_in_job([standing(made(id="a|b<script>", verdict="refuted"))], title="<b>")
    text = job.read_text()
    assert "<script>" not in text
    assert "<b>" not in text


def test_ten_of_each_level_and_no_more():
    many = [standing(made(id=f"claim-{i}", verdict="refuted")) for i in range(30)]
    assert len(annotated([*many, *[FAILED] * 30], lambda _: None)) == 20


def test_the_summary_of_a_step_stays_within_its_limit(job, monkeypatch):
    monkeypatch.setattr(github_job, "MOST_BYTES", 500)
    job.write_text("x" * 300)
    append_summary(job, ["y" * 40] * 10)
    text = job.read_text()
    assert len(text.encode()) <= 500
    assert "The rest is left out" in text
    append_summary(job, ["z" * 40] * 10)
    assert "z" not in job.read_text()
    assert len(job.read_bytes()) <= 500


def test_a_refuted_claim_of_ones_own_is_an_error():
    assert annotated([made(verdict="refuted", expectation=None, surprise=None)], lambda _: None) == []
    item = standing(made(verdict="refuted", expectation=None, surprise=None))
    assert annotated([item], lambda _: None)[0].startswith("::error ")
