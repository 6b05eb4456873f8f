"""The ledger on a screen of 80 columns: no id is broken, stale rows are marked, and a row is told whole."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from dpverify.core.plugins import registry
from dpverify.ledger.rows import ledger_records
from dpverify.reporting.ledger_table import ID, claim_in_a_line, detail_lines, ledger_detail, ledger_table, margin
from tests.reporting.test_writers import made


def row(**changes: Any) -> dict[str, Any]:
    return (
        made()
        | {"ledger": {"paper": "BLSGD", "row": "ROW", "stale": "", "replayed": ""}, "source": "BLSGD Thm 3"}
        | changes
    )


def printed(show: Any, *records: dict[str, Any], width: int = 80) -> list[str]:
    out = io.StringIO()
    show(list(records), Console(file=out, width=width))
    return out.getvalue().rstrip("\n").split("\n")


@pytest.mark.parametrize("length", [3, ID, ID + 1, 60])
def test_an_id_of_any_length_stands_on_one_line(length):
    name = "A" * length
    lines = printed(ledger_table, row(id=name))
    assert [line.split()[0] for line in lines if "AAA" in line] == [name]
    assert max(map(len, lines)) <= 80


def test_a_stale_row_keeps_its_verdict_and_is_marked():
    text = "\n".join(
        printed(ledger_table, row(), row(ledger={"paper": "BLSGD", "row": "ROW", "stale": "changed", "replayed": ""}))
    )
    assert text.count("not refuted") >= 2
    assert text.count("not refuted*") == 1
    assert "dpverify ledger --refresh" in text
    assert "*:" not in "\n".join(printed(ledger_table, row()))
    detail = "\n".join(
        detail_lines(row(ledger={"paper": "BLSGD", "row": "ROW", "stale": "the code has changed", "replayed": ""}))
    )
    assert "stale     the code has changed" in detail


def test_the_claim_stands_below_with_its_reading_first():
    item = row(statement="It is private for x in [0, 1]. [losses in [0, Delta], one f_w]")
    assert claim_in_a_line(item) == "Thm 3: [losses in [0, Delta], one f_w] It is private for x in [0, 1]."
    assert claim_in_a_line(item, place=False).startswith("[losses")
    assert claim_in_a_line(row(statement="For x in [0, 1].")) == "Thm 3: For x in [0, 1]."
    assert claim_in_a_line(row(source="dpverify repair of BLSGD Thm 3", statement="S.")) == "repair of Thm 3: S."


def test_papers_are_named_once():
    lines = printed(
        ledger_table, row(), row(), row(ledger={"paper": "RSGD", "row": "ROW", "stale": "", "replayed": ""})
    )
    assert [line for line in lines if line in ("BLSGD", "RSGD")] == ["BLSGD", "RSGD"]


def test_margins_fit_their_column():
    assert [margin(each) for each in (1.0, 1.0024, 0.9996, 1 + 1e-12)] == ["1", "1.0024", "0.9996", "1"]
    assert [margin(each) for each in (0.98765, 12.345, 999.4, 12345.6, float("inf"), None, float("nan"))] == [
        "0.988",
        "12.3",
        "999",
        "1.2e+04",
        "∞",
        "-",
        "-",
    ]


def test_a_row_whole_has_its_remark_its_other_evidence_its_code_and_its_command():
    remark = {"breaks": "b", "means": "m", "instead": "i", "numbers": [{"label": "n", "value": 2.0}], "holds": True}
    (part,) = made()["evidence"]
    measure = {"kind": "epsilon", "argument": 0.0, "claimed": 1.0}
    seen = {"trials": 10, "bound": 1.5, "confidence": 0.99, "measure": measure}
    other = part | {"auditor": "another", "says": "refuted"} | seen
    item = row(
        remark=remark, evidence=[part, other], code={"digest": "0123456789ab", "numpy": "2.0"}, reproduce="r" * 90
    )
    lines = printed(ledger_detail, item)
    text = "\n".join(lines)
    for each in ("why       b", "- n: 2", "means     m", "instead   i", "another: ", "0123456789ab", f"  {'r' * 90}"):
        assert each in text
    assert max(len(line) for line in lines if "rrr" not in line) <= 80


def test_the_whole_ledger_keeps_to_eighty_columns():
    records = ledger_records(registry())
    for show in (ledger_table, ledger_detail):
        lines = printed(show, *records)
        assert [line for line in lines if len(line) > 80 and not line.startswith("  dpverify ")] == []
