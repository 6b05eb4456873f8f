"""`dpverify ledger`: filters, formats, pages, reruns that go on, and one line for what cannot be."""

from __future__ import annotations

import json

import pytest

FALLEN = "BL-SENS-OBJ.b"


def ids(out):
    return [item["id"] for item in json.loads(out)]


def test_filters_are_together(call):
    status, out, _ = call("ledger", "--paper", "BLSGD", "--relation", "all-queries", "--json")
    assert status == 0
    assert {(item["ledger"]["paper"], item["relation"]) for item in json.loads(out)} == {("BLSGD", "all-queries")}
    paper = ("ledger", "--paper", "DISS", "--json")
    verdicts = ("refuted", "certified", "not_refuted", "inconclusive", "unsupported", "error")
    found = [ids(call(*paper, "--verdict", verdict)[1]) for verdict in verdicts]
    assert sum(map(bool, found)) >= 3
    assert sorted(name for some in found for name in some) == sorted(ids(call(*paper)[1]))


def test_every_format_has_every_row(call):
    rows = ids(call("ledger", "--paper", "RSGD", "--format", "json")[1])
    table = call("ledger", "--paper", "RSGD")[1]
    markdown = call("ledger", "--paper", "RSGD", "--format", "md")[1]
    assert rows
    for name in rows:
        assert any(line.split()[:1] == [name] for line in table.splitlines())
        assert f"`{name}`" in markdown


def test_one_row_whole(call):
    status, out, _ = call("ledger", "--id", FALLEN)
    assert status == 0
    assert out.startswith(f"{FALLEN}  ")
    assert f"dpverify ledger --id {FALLEN} --rerun" in out or "dpverify run papers" in out


def test_pages_are_written(call, tmp_path):
    status, out, err = call("ledger", "--paper", "ADADP", "--render", str(tmp_path / "pages"))
    assert (status, out) == (0, "")
    assert (tmp_path / "pages/ledger.md").read_text().startswith("# Five papers")
    assert (tmp_path / "pages/ledger/ADADP.md").is_file()
    assert str(tmp_path / "pages/ledger.md") in err


def test_a_rerun_keeps_its_records_and_may_be_gone_on_with(call, tmp_path):
    words = ("ledger", "--id", FALLEN, "--rerun", "--out", str(tmp_path / "out"), "--store", str(tmp_path / "store"))
    status, out, err = call(*words)
    assert status == 0, out + err
    kept = json.loads((tmp_path / "out" / f"{FALLEN}.json").read_text())
    assert kept["verdict"] == "refuted"
    assert set(kept["code"]) > {"digest"}
    status, out, err = call(*words, "--resume")
    assert status == 0, out + err
    assert "1 of 1 rows were finished" in err
    again = json.loads((tmp_path / "out" / f"{FALLEN}.json").read_text())
    assert again["evidence"] == kept["evidence"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--verdict", "true"), "not_refuted"),
        (("--relation", "sideways"), "add-remove"),
        (("--paper", "NOPE"), "BLSGD, ADADP, ADPSGD, RSGD, DISS"),
        (("--resume",), "--rerun"),
        (("--rerun", "--resume"), "--store"),
        (("--out", "x"), "--rerun"),
        (("--format", "html"), "table, json, md"),
        (("--profile", "huge", "--rerun", "--id", FALLEN), "profile"),
    ],
)
def test_what_cannot_be_is_one_line(call, words, said):
    status, out, err = call("ledger", *words)
    assert (status, out) == (2, "")
    assert said in err
    assert len(err.strip().splitlines()) == 1
