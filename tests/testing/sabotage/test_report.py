"""The report on mutants: 80 columns, JSON, and an assertion that names what survived."""

from __future__ import annotations

import io
import json
import math

import pytest
from rich.console import Console

from dpverify.testing import MutantReport, MutantRow


def row(name, outcome, loss=None):
    return MutantRow(name=name, what="what is broken", outcome=outcome, how="some words on it " * 8, loss=loss)


REPORT = MutantReport(
    mechanism="noisy_sum",
    claim="PureDP(epsilon=1)",
    rows=(row("noise-halved", "killed", 2.0), row("noise-removed", "survived", math.inf), row("seed-fixed", "unknown")),
    left_out={"clip-dropped": "no clipping was found in the source"},
)


def test_a_table_has_80_columns_and_every_mutant():
    lines = REPORT.text().splitlines()
    assert max(map(len, lines)) <= 80
    for words in ("noise-halved", "noise-removed", "seed-fixed", "not made: clip-dropped"):
        assert any(words in line for line in lines)
    assert lines[-1] == "3 mutants: 1 killed, 1 survived, 0 no violation, 1 unknown"


def test_json_reads_back():
    read = json.loads(REPORT.json())
    assert read == REPORT.record()
    assert [each["loss"] for each in read["rows"]] == [2.0, "inf", None]


def test_survivors_fail():
    with pytest.raises(AssertionError, match="does not find 1 of its mutants: noise-removed survived"):
        REPORT.assert_killed()
    REPORT.assert_killed(allowed=["noise-removed"])
    with pytest.raises(AssertionError, match="seed-fixed unknown"):
        REPORT.assert_killed(allowed=["noise-removed"], strict=True)


def test_it_shows_itself_in_a_notebook_and_in_a_terminal():
    page = REPORT._repr_html_()
    assert all(row.name in page for row in REPORT.rows)
    assert "<script" not in page
    console = Console(width=200, record=True, file=io.StringIO())
    console.print(REPORT)
    told = console.export_text()
    assert all(row.name in told for row in REPORT.rows)
