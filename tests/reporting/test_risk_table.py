"""An attacker's chances in a report: JSON, cells and a line, each limit rounded to its side."""

import math

import pytest

from dpverify.reporting.html_writer import HtmlWriter
from dpverify.reporting.read_records import schema
from dpverify.reporting.risk_table import HEADINGS, risk_line, risk_rows, row_risk, with_risk
from dpverify.reporting.schema_check import schema_fault
from tests.reporting.test_writers import made


def counted(**more):
    part = {"measure": {"kind": "epsilon", "argument": 0.0}, "bound": 0.5, "picture": {}, **more}
    return {"guarantee": "PureDP(epsilon=1)", "evidence": [part]}


RATES = {"rectangle": {"fpr_high": 0.1, "fnr_high": 0.8}}


def test_cells_say_both_sides():
    rows = risk_rows(counted(picture=RATES))
    assert all(len(each) == len(HEADINGS) for each in rows)
    told = {name: cells for name, *cells in rows}
    assert told["true positives at 1 % false positives"] == ["2.72 %", "2 %"]
    assert told["advantage"] == ["46.3 %", "10 %"] or told["advantage"] == ["46.3 %", "9.99 %"]
    assert told["a suspicion of 10 % after the event that was found"][0] == ""
    assert "reconstructs a secret guessed in 1 % of the cases" in told


def test_a_line_says_the_most_telling():
    said = risk_line(counted(picture=RATES))
    assert "with 1 % false positives finds at least 2 % of the members (claim: at most 2.72 %)" in said
    assert risk_line(counted(bound=0.0)) == risk_line({"guarantee": "no claim", "evidence": []}) == ""
    assert risk_rows(counted(bound=0.0)) == []


def test_json_has_both_sides_and_keeps_to_the_schema():
    part = {"auditor": "event", "version": "1", "says": "not_refuted", "excess": None, "coverage": "search"}
    measure = {"kind": "epsilon", "argument": 0.0, "claimed": 1.0}
    whole = counted(**part, measure=measure, statistics={}, witness={}, trials=9, picture=RATES)
    found = with_risk(made(**whole))
    assert found["risk"]["claim"]["advantage"] == pytest.approx(math.tanh(0.5))
    assert schema_fault(found, schema()) == ""
    wrong = {**found, "risk": {**found["risk"], "shown": {"from": "nowhere"}}}
    assert schema_fault(wrong, schema()) != ""
    assert "risk" not in with_risk(made(guarantee="no claim"))


def test_a_record_is_told_from_its_claim_and_evidence_alone():
    item = counted(picture=RATES)
    assert with_risk(item | {"risk": {"claim": "forged"}})["risk"] == row_risk(item)


def test_a_report_of_few_rows_has_the_table(tmp_path):
    measure = {"kind": "epsilon", "argument": 0.0, "claimed": 1.0}
    part = made(evidence=[{**made()["evidence"][0], "measure": measure, "bound": 0.5, "picture": RATES}])
    few = HtmlWriter().write([part], tmp_path / "few", title="t").read_text()
    many = (
        HtmlWriter().write([{**part, "id": f"row/{i}"} for i in range(101)], tmp_path / "many", title="t").read_text()
    )
    assert "<th>was shown, at least</th>" in few and "true positives at 1 % false positives" in few
    assert "was shown, at least" not in many and "no table of an attacker" in many
